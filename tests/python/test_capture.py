"""Compiled programs do what plain Python does: results, effects, exceptions and their lines. What becomes of each is
in golden/capture_<version>.txt: its entries with their guards, and its breaks.

    python test_capture.py       writes that file for this interpreter
"""
import pathlib
import re
import sys
import types
import warnings

import capture_corpus as corpus
import capture_corpus_kept  # noqa: F401
import capture_corpus_more  # noqa: F401
import frit

GOLDEN = pathlib.Path(__file__).parent / "golden" / "capture_{}.{}.txt".format(*sys.version_info)
MADE_BY = "# CPython {}.{}.{}".format(*sys.version_info)  # the golden text's first line
LIBRARIES = ("frit", "torch")


def elements(o):
    values = o.detach().flatten().tolist()
    if corpus.lib is frit:
        return repr(values)
    # Another library's own kernels sum in another order.
    return [f"{v:.4g}" if isinstance(v, float) and not abs(v) <= 1e-5 else round(v, 5) for v in values]


def described(o, seen=None):
    """A value as plain data: tensors by dtype, sizes, strides and elements; objects by their parts."""
    seen = {} if seen is None else seen
    if isinstance(o, (int, float, str, bytes, type(None), type, range)):
        return (type(o).__name__, repr(o))
    if id(o) in seen:
        return ("again", seen[id(o)])
    seen[id(o)] = len(seen)
    if isinstance(o, corpus.lib.Tensor):
        return ("tensor", type(o).__name__, str(o.dtype), tuple(o.shape), o.stride(), o.requires_grad, o._version, elements(o),
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
    """What each call leaves, the compiled function, and what its programs hold on to."""
    corpus.COUNT = 0
    function, calls = make()
    corpus.lib.manual_seed(0)
    run = frit.compile(function, **options) if compiled else function
    seen = []
    keep = []
    for args in calls:
        what, result = outcome(run, args)
        keep.append(result)
        if isinstance(result, corpus.lib.Tensor) and result.requires_grad and result.grad_fn is not None:
            result.backward()
        seen.append((what, described(args), described(function), corpus.COUNT))
    return seen, run


def text_of(run):
    """Entries with their guards, and breaks, without what differs from run to run."""
    found = frit._C._explain(run)
    lines = []
    for e in sorted(found["entries"], key=lambda e: int(e["name"].rsplit("/", 1)[1])):
        effects = f", effects: {' '.join(e['effects'])}" if e["effects"] else ""
        lines.append(f"entry: {e['ops']} ops{effects}{'' if e['returns'] else ', then CPython'}")
        lines += [f"  {g}" for g in e["guards"]]
        lines += [f"  {g.strip()}" for g in e["sizes"].splitlines() if g.strip()]
    for b in found["breaks"]:
        lines.append(f"break ({b['kind']}): {b['text']}" + (f"; try: {b['hint']}" if b["hint"] else ""))
        lines += [f"  {line.split('/')[-1]}" for line in b["stack"] or [b["where"]] if line]
    return re.sub(r"0x[0-9a-f]+", "0x", "\n".join(lines))


def compiled_history(make, backend):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain, _ = history(make, False)
        compiled, run = history(make, True, backend=backend)
    return plain, compiled, run


def golden_of(name):
    if not GOLDEN.exists():
        return None
    parts = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", GOLDEN.read_text(), re.M | re.S))
    return parts[name].strip() if name in parts else ""


def outline(text):
    """Entries and breaks alone: what a guard calls its value depends on the release's bytecode (on the stack, or a variable)."""
    return [line for line in text.splitlines() if not line.startswith(" ")]


def write():
    corpus.use(frit)
    texts = [f"## {name}\n{text_of(compiled_history(make, 'eager')[2])}\n" for name, make in corpus.PROGRAMS.items()]
    GOLDEN.write_text(MADE_BY + "\n" + "\n".join(texts))


if __name__ == "__main__":
    write()
    sys.exit()

import pytest  # noqa: E402  what is above runs without it


@pytest.fixture(params=LIBRARIES)
def library(request):
    """Whose tensors: one more is one more name here."""
    found = pytest.importorskip(request.param)
    corpus.use(found)
    yield found
    corpus.use(frit)


@pytest.mark.parametrize("backend", ["eager", "frit"])
@pytest.mark.parametrize("name", list(corpus.PROGRAMS))
def test_program(name, backend, library):
    plain, compiled, run = compiled_history(corpus.PROGRAMS[name], backend)
    for i, (a, b) in enumerate(zip(plain, compiled)):
        assert a == b, f"call {i}\n{frit.compiler.Explanation(frit._C._explain(run), None)}"
    assert len(plain) == len(compiled)
    if library is frit and backend == "eager":
        golden = golden_of(name)
        if golden is None:
            pytest.skip(f"{GOLDEN.name} is not there")
        if GOLDEN.read_text().startswith(MADE_BY + "\n"):
            assert text_of(run).strip() == golden
        else:
            assert outline(text_of(run)) == outline(golden)


def test_the_corpus_is_large_enough():
    assert len(corpus.PROGRAMS) >= 80
