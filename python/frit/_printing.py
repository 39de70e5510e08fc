"""Tensors as text, as PyTorch prints them: aligned values, the middle of long dimensions left out."""
import math

from frit import _C


class _Options:
    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = None


options = _Options()


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None):
    """How tensors are printed: digits, elements before the middle is left out, elements at the edges, columns."""
    if profile is not None:
        if profile not in ("default", "short", "full"):
            raise ValueError(f"set_printoptions(): profile must be 'default', 'short' or 'full', not {profile!r}")
        options.precision = 2 if profile == "short" else 4
        options.threshold = math.inf if profile == "full" else 1000
        options.edgeitems = 2 if profile == "short" else 3
        options.linewidth = 80
    for name, value in dict(precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth).items():
        if value is not None:
            setattr(options, name, value)
    options.sci_mode = sci_mode


class _Format:
    """How the numbers of one tensor are written."""

    def __init__(self, values, floating):
        self.floating, self.whole, self.scientific = floating, True, False
        self.width = 1
        if not floating:
            self.width = max([len(str(v)) for v in values], default=1)
            return
        finite = [abs(v) for v in values if math.isfinite(v) and v != 0]
        if not finite:
            self.width = max([len(self.plain(v)) for v in values], default=1)
            return
        low, high = min(finite), max(finite)
        self.whole = all(v == math.ceil(v) for v in values if math.isfinite(v))
        self.scientific = high > 1e8 or not self.whole and (high / low > 1000 or low < 1e-4)
        if options.sci_mode is not None:
            self.scientific = options.sci_mode
        self.width = max(len(self.plain(v)) for v in values if math.isfinite(v) and v != 0)

    def plain(self, value):
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{options.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{options.precision}f}"

    def text(self, value):
        return self.plain(value).rjust(self.width)


def _shown(t, brief):
    """The tensor that is shown: where the middle is left out, the edges alone, and where that is for each dimension."""
    edge = options.edgeitems
    if not brief:
        return t
    for d in range(t.dim()):
        if t.size(d) > 2 * edge:
            t = _C.ops["cat"]([t.narrow(d, 0, edge), t.narrow(d, t.size(d) - edge, edge)], d)
    return t


def _body(values, sizes, form, indent, brief):
    """Nested lists as text."""
    if not sizes:
        return form.text(values)
    edge = options.edgeitems
    left_out = brief and sizes[0] > 2 * edge
    if len(sizes) == 1:
        columns = max(1, (options.linewidth - indent) // (form.width + 2))
        parts = [form.text(v) for v in values]
        if left_out:
            parts.insert(edge, " ...")
        lines = [", ".join(parts[i:i + columns]) for i in range(0, len(parts), columns)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    parts = [_body(v, sizes[1:], form, indent + 1, brief) for v in values]
    if left_out:
        parts.insert(edge, "...")
    return "[" + (",\n" * 1 + "\n" * (len(sizes) - 2) + " " * (indent + 1)).join(parts) + "]"


def _flat(values):
    if isinstance(values, list):
        for v in values:
            yield from _flat(v)
    else:
        yield values


def text(self):
    """repr(tensor)."""
    start = "tensor("
    suffixes = []
    if self.numel() == 0:
        if self.dim() != 1:
            suffixes.append(f"size={tuple(self.shape)}")
        usual = self.dtype is _C.get_default_dtype()
        body = "[]"
    else:
        usual = self.dtype in (_C.get_default_dtype(), _C.int64, _C.bool)
        brief = self.numel() > options.threshold
        before = _C.is_grad_enabled()
        _C._set_grad_enabled(False)
        try:
            values = _C._unrecorded(lambda: _shown(self.detach(), brief).tolist())
        finally:
            _C._set_grad_enabled(before)
        form = _Format(list(_flat(values)), self.is_floating_point())
        body = _body(values, tuple(self.shape), form, len(start), brief)
    if not usual:
        suffixes.append(f"dtype={self.dtype!r}")
    if self.grad_fn is not None:
        suffixes.append(f"grad_fn=<{self.grad_fn.name()}>")
    elif self.requires_grad:
        suffixes.append("requires_grad=True")
    # A suffix begins a new line where the last one is full, as in PyTorch.
    out = start + body
    column = len(out) - out.rfind("\n") + 1
    for suffix in suffixes:
        if column + len(suffix) + 2 > options.linewidth:
            out += ",\n" + " " * len(start) + suffix
            column = len(start) + len(suffix)
        else:
            out += ", " + suffix
            column += len(suffix) + 2
    return out + ")"
