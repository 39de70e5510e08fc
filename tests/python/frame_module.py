"""The module of the frame tests, and what the tests share."""

import dis
import types

from frit._C import _frame_test as frames

NULL = frames.NULL


def codes_of(function):
    """The function's code and every code nested in it."""
    work = [function.__code__]
    while work:
        code = work.pop()
        yield code
        work += [c for c in code.co_consts if isinstance(c, types.CodeType)]


def outcome(function, args):
    """What a call comes to, as values that compare: result, or exception with its lines."""
    try:
        return "result", repr(function(*args))
    except Exception as error:
        return "raised", type(error).__name__, str(error), lines_of(error)


def lines_of(error):
    lines, entry = [], error.__traceback__.tb_next
    while entry:
        lines.append((entry.tb_frame.f_code.co_name, entry.tb_lineno))
        entry = entry.tb_next
    return lines


def units(code, opname, arg=None):
    """The first units of the instructions with this name, by one whose meaning the version does not change."""
    opcode = dis.opmap.get(opname)
    return [i[0] for i in frames.instructions(code) if i[2] == opcode and (arg is None or i[3] == arg)]


def unit_of_call(code, line_text=None, nth=0):
    """The first unit of the nth call instruction (on 3.11 and 3.12 its KW_NAMES, if it has one)."""
    found, glued = [], None
    for i in frames.instructions(code):
        name = dis.opname[i[2]]
        if name in ("KW_NAMES", "PRECALL"):
            glued = i[0] if glued is None else glued
            continue
        if name in ("CALL", "CALL_KW", "CALL_FUNCTION_EX"):
            found.append(i[0] if glued is None else glued)
        glued = None
    return found[nth]


def slot(code, name):
    """The index of a variable in localsplus."""
    names = list(code.co_varnames)
    for cell in code.co_cellvars:
        if cell not in names:
            names.append(cell)
    return (names + list(code.co_freevars)).index(name)
