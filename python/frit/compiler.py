"""compile(): functions over tensors that run as compiled graphs from their second call on."""
import sys
import weakref

from frit import _C

__all__ = ["compile", "disable", "explain", "is_compiling", "mark_dynamic", "mark_static", "reset", "set_stance"]

_BACKENDS = ("frit", "eager", "aot_eager", "aot_eager_decomp")
_MODES = ("default", "max-autotune")
_OPTIONS = ("recompile_limit", "fuse", "disabled_passes")

_compiled = weakref.WeakSet()


def is_compiling():
    """True inside of a compiled function while it is captured."""
    return False


_C._answer_true(is_compiling)


def _settings(fullgraph, dynamic, backend, mode, options):
    if backend not in _BACKENDS:
        raise ValueError(f"[compile] given backend {backend!r}, expected one of {', '.join(_BACKENDS)}")
    if mode is not None and mode not in _MODES:
        raise ValueError(f"[compile] given mode {mode!r}, expected one of {', '.join(_MODES)}")
    settings = {"fullgraph": bool(fullgraph), "backend": backend, "mode": mode or "default"}
    if dynamic is not None:
        settings["dynamic"] = bool(dynamic)
    for name, value in (options or {}).items():
        if name not in _OPTIONS:
            raise ValueError(f"[compile] given option {name!r}, expected one of {', '.join(_OPTIONS)}")
        settings[name] = value
    return settings


def _rebuild(function, settings):
    made = _C._compile(function, _rebuild, settings)
    if _C._is_compiled(made):
        _compiled.add(made)
    return made


def _compile_module(module, settings):
    """The module itself in all but calls: its class is a subclass, its attributes are the same."""
    cls = type(module)
    call = _rebuild(cls.__call__.__get__(module), settings)

    def __call__(self, *args, **kwargs):
        return call(*args, **kwargs)

    made = object.__new__(type(cls.__name__, (cls,), {"__call__": __call__, "__module__": cls.__module__,
                                                      "_compiled_call": staticmethod(call)}))
    made.__dict__ = module.__dict__
    return made


def _module_types():
    from frit.nn import Module
    torch = sys.modules.get("torch")
    return (Module, torch.nn.Module) if hasattr(torch, "nn") else Module


def compile(model=None, *, fullgraph=False, dynamic=None, backend="frit", mode=None, options=None):
    """Compiles a function, a method or a module; without one, gives a decorator.

    The first call runs the function for real and records it; later calls check guards and run compiled
    code. fullgraph: what would end a graph early is an error. dynamic=False: every size is part of the key.
    """
    settings = _settings(fullgraph, dynamic, backend, mode, options)
    if model is None:
        return lambda f: compile(f, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode,
                                 options=options)
    if isinstance(model, _module_types()):
        return _compile_module(model, settings)
    if not callable(model):
        raise TypeError(f"[compile] given {type(model).__name__}, expected a callable")
    return _rebuild(model, settings)


def disable(function):
    """The function is never walked into: it ends the graph of a compiled caller."""
    function.__frit_disabled__ = True
    return function


def _mark(tensor, dims, dynamic):
    if not isinstance(tensor, (_C.Tensor, getattr(sys.modules.get("torch"), "Tensor", _C.Tensor))):
        what = "mark_dynamic" if dynamic else "mark_static"
        raise TypeError(f"[{what}] given {type(tensor).__name__}, expected a tensor")
    marks = tensor.__dict__.setdefault("_dynamic_marks", {})
    for d in dims:
        if not -tensor.dim() <= d < tensor.dim():
            raise IndexError(f"Dimension out of range (expected to be in range of [{-tensor.dim()}, "
                             f"{tensor.dim() - 1}], but got {d})")
        marks[d % tensor.dim()] = dynamic


def mark_dynamic(tensor, dim):
    """The size of this dimension (or these) is a symbol in graphs captured from now on, wherever the tensor is
    reached from: one graph serves all sizes of 2 and more."""
    _mark(tensor, [dim] if isinstance(dim, int) else list(dim), True)


def mark_static(tensor, dim=None):
    """The size of this dimension (or these; all, where none is given) is fixed in graphs captured from now on."""
    dims = range(tensor.dim()) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    _mark(tensor, dims, False)


_STANCES = ("default", "force_eager", "eager_on_recompile", "fail_on_recompile")  # as _C._set_stance counts them


class set_stance:
    """What all compiled functions do, from now on or in a `with`:

    "default": serve the graph whose guards hold; where none does, capture one.
    "force_eager": run as plain Python.
    "eager_on_recompile": serve what there is; where nothing fits, run as plain Python and capture nothing.
    "fail_on_recompile": capture what never was; where there are graphs and none fits, raise a RuntimeError that names
    the guard, both values, and what would spare the recompile.
    """

    _now = "default"

    def __init__(self, stance):
        if stance not in _STANCES:
            raise ValueError(f"[compile] given stance {stance!r}, expected one of {', '.join(_STANCES)}")
        self._before = set_stance._now
        self._set(stance)

    @staticmethod
    def _set(stance):
        set_stance._now = stance
        _C._set_stance(_STANCES.index(stance))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self._set(self._before)


def reset():
    """Forgets everything that was compiled."""
    for f in list(_compiled):
        _C._reset(f)


class Explanation:
    """What a compiled function has become: entries with their guards and graphs, breaks, recompiles."""

    def __init__(self, found, result):
        self.name = found["name"]
        self.entries = found["entries"]
        self.breaks = found["breaks"]
        self.recompiles = found["recompiles"]
        self.plain_calls = found["plain_calls"]
        self.result = result

    def __str__(self):
        lines = [f"{self.name}: {len(self.entries)} graph{'s' * (len(self.entries) != 1)}, "
                 f"{len(self.breaks)} break{'s' * (len(self.breaks) != 1)}"]
        for e in self.entries:
            lines.append(f"\n{e['name']}: {e['ops']} ops, {len(e['guards'])} guards, {e['runs']} runs, "
                         f"{e['compile_ms']:.1f} ms to compile")
            lines += ["  " + g for g in e["guards"]]
            lines += ["  " + g for g in e["sizes"].splitlines()]
            lines += ["  | " + g for g in e["graph"].splitlines()]
        for b in self.breaks:
            lines.append(f"\nbreak ({b['kind']}): {b['text']}")
            lines += [("  at " if i == 0 else "  called at ") + w for i, w in enumerate(b["stack"] or [b["where"]])]
            if b["hint"]:
                lines.append(f"  try: {b['hint']}")
        for i, r in enumerate(self.recompiles, 1):
            lines.append(f"\nrecompile {i}: {r['reason']}")
            if r["hint"]:
                lines.append(f"  try: {r['hint']}")
        return "\n".join(lines)

    __repr__ = __str__


def explain(function, *compile_args, **settings):
    """explain(f)(*args): runs f compiled, and tells what it has become."""
    compiled = getattr(function, "_compiled_call", function)
    if not _C._is_compiled(compiled):
        compiled = compile(function, *compile_args, **settings)
        compiled = getattr(compiled, "_compiled_call", compiled)

    def run(*args, **kwargs):
        result = compiled(*args, **kwargs)
        return Explanation(_C._explain(compiled), result)
    return run
