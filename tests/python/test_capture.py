"""Compiled programs do what plain Python does: results, effects, exceptions and their lines."""
import types
import warnings

import pytest

import capture_corpus as corpus
import frit


def described(o, seen=None):
    """A value as plain data: tensors by dtype, sizes, strides and elements; objects by their parts."""
    seen = {} if seen is None else seen
    if isinstance(o, (int, float, str, bytes, type(None), type, range)):
        return (type(o).__name__, repr(o))
    if id(o) in seen:
        return ("again", seen[id(o)])
    seen[id(o)] = len(seen)
    if isinstance(o, frit.Tensor):
        return ("tensor", str(o.dtype), tuple(o.shape), o.stride(), o.requires_grad, o._version, repr(o.detach().tolist()),
                described(o.grad, seen) if o.is_leaf else None)
    if isinstance(o, dict):
        return (type(o).__name__, [(described(k, seen), described(v, seen)) for k, v in o.items()])
    if isinstance(o, (list, tuple)):
        return (type(o).__name__, [described(x, seen) for x in o])
    if isinstance(o, (set, frozenset)):
        return (type(o).__name__, sorted(map(repr, o)))
    if isinstance(o, types.FunctionType):
        return ("function", o.__name__, [described(c.cell_contents, seen) for c in o.__closure__ or ()])
    if hasattr(o, "__dict__"):
        return (type(o).__name__, described(vars(o), seen))
    return type(o).__name__


def lines_of(error):
    lines = []
    tb = error.__traceback__
    while tb:
        if "corpus" in tb.tb_frame.f_code.co_filename:
            lines.append((tb.tb_frame.f_code.co_name, tb.tb_lineno))
        tb = tb.tb_next
    return lines


def outcome(function, args):
    try:
        result = function(*args)
    except Exception as e:
        return ("raised", type(e).__name__, str(e), lines_of(e)), None
    return ("returned", described(result)), result


def history(make, compiled, **options):
    corpus.COUNT = 0
    function, calls = make()
    frit.manual_seed(0)
    run = frit.compile(function, **options) if compiled else function
    seen = []
    keep = []
    for args in calls:
        what, result = outcome(run, args)
        keep.append(result)
        if isinstance(result, frit.Tensor) and result.requires_grad and result.grad_fn is not None:
            result.backward()
        seen.append((what, described(args), described(function), corpus.COUNT))
    return seen, run


@pytest.mark.parametrize("backend", ["eager", "frit"])
@pytest.mark.parametrize("name", list(corpus.PROGRAMS))
def test_program(name, backend):
    make = corpus.PROGRAMS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, _ = history(make, False)
        compiled, run = history(make, True, backend=backend)
    for i, (a, b) in enumerate(zip(plain, compiled)):
        assert a == b, f"call {i}\n{frit.compiler.Explanation(frit._C._explain(run), None)}"
