"""Other sizes and strides at later calls: sizes that PyTorch's own C++ computes from them must not be taken for numbers."""
import copy

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import torch.nn.functional as F  # noqa: E402

import frit  # noqa: E402
from test_torch_compile import check  # noqa: E402

R = torch.randn


def images():
    return [(R(2, 3, 4, 4),), (R(2, 3, 5, 4),), (R(3, 3, 5, 5),)]


def rows():
    return [(R(3, 4),), (R(5, 4),), (R(2, 4),)]


PROGRAMS = {
    "diff": (torch.diff, [(R(2),), (R(3),), (R(5),), (R(2),)]),
    "conv2d": (F.conv2d, [(R(2, 3, 8, 8), R(4, 3, 3, 3)), (R(2, 3, 9, 8), R(4, 3, 3, 3)), (R(5, 3, 9, 7), R(6, 3, 2, 2))]),
    "conv2d_same": (lambda x, w: F.conv2d(x, w, padding="same"),
                    [(R(2, 3, 8, 8), R(4, 3, 3, 3)), (R(2, 3, 8, 8), R(4, 3, 5, 5)), (R(3, 3, 6, 6), R(4, 3, 3, 3))]),
    "interpolate": (lambda x: F.interpolate(x, scale_factor=2), images()),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), images()),
    "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), [(R(2, 4, 4, 4),), (R(3, 4, 5, 4),), (R(2, 8, 3, 3),)]),
    "reflect": (lambda x: F.pad(x, (1, 2), mode="reflect"), [(R(2, 3, 4),), (R(2, 3, 6),), (R(4, 3, 6),)]),
    "group_norm": (lambda x: F.group_norm(x, 2), [(R(4, 4, 3),), (R(2, 4, 3),), (R(4, 4, 12),)]),
    "tensordot": (lambda x, y: torch.tensordot(x, y, 1), [(R(2, 3), R(3, 4)), (R(5, 3), R(3, 2)), (R(3, 3), R(3, 3))]),
    "cdist": (torch.cdist, [(R(2, 3), R(4, 3)), (R(5, 3), R(2, 3)), (R(3, 2), R(3, 2))]),
    "strides": (lambda x: (x + 1, x.contiguous() * 2, x.reshape(-1)),
                [(R(3, 4),), (R(4, 3).t(),), (R(6, 8)[::2, ::2],), (R(3, 4),)]),
    "dropout_in_place": (lambda x: F.dropout(x, 0.5, True, True) * 2, rows()),
    "repeats": (lambda x: x.repeat_interleave(2, 0) + x.tile(2, 1), rows()),
    "order": (lambda x: x.kthvalue(2, 0)[0] + x.median(), rows()),
    "windows": (lambda x: x.unfold(0, 2, 1).sum(-1), rows()),
    "made": (lambda x: torch.eye(x.shape[0]) @ x + torch.linspace(0, 1, x.shape[1]), rows()),
    "transform": (lambda x: torch.fft.rfft(x).abs(), [(R(8),), (R(6),)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_sizes(name):
    f, calls = PROGRAMS[name]
    g = frit.compile(f if f.__class__.__name__ == "function" else lambda *args: f(*args))
    for _ in range(2):
        for args in calls:
            given, wanted = copy.deepcopy(args), copy.deepcopy(args)
            torch.manual_seed(1)
            expected = f(*wanted)
            torch.manual_seed(1)
            check(g(*given), expected)
            check(given, wanted)


def test_errors_at_other_sizes():
    f = frit.compile(lambda x, y: torch.cat([x, y]) @ x)
    f(R(3, 3), R(3, 3))
    with pytest.raises(RuntimeError, match="Sizes of tensors must match except in dimension 0"):
        f(R(3, 4), R(3, 3))
    check(f(torch.ones(3, 3), torch.ones(2, 3)), torch.full((5, 3), 3.0))
