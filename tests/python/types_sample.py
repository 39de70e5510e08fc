"""A program as type checkers see it; mypy checks it (test_types.py), and it runs."""
from typing import assert_type

import frit
from frit import nn

x = frit.zeros(2, 3, dtype=frit.float32, requires_grad=True)
assert_type(x, frit.Tensor)
assert_type(frit.add(x, 1, alpha=2), frit.Tensor)
assert_type(x.sum(dim=1, keepdim=True), frit.Tensor)
assert_type(x.view(3, 2).permute(1, 0), frit.Tensor)
assert_type(2 * x + x / 3 - x**2, frit.Tensor)
assert_type(x.shape, frit.Size)
assert_type(x.size(0), int)
assert_type(x.dtype, frit.dtype)
assert_type(frit.max(x, 1).values, frit.Tensor)
assert_type(x.topk(2).indices, frit.Tensor)
assert_type(x.split(1), tuple[frit.Tensor, ...])
assert_type(x[0, ..., None], frit.Tensor)
assert_type(x == 0, frit.Tensor)
assert_type(x.detach().mul_(2).requires_grad_(), frit.Tensor)
grad = x.grad
if grad is not None:
    assert_type(grad.float(), frit.Tensor)
with frit.no_grad():
    y = nn.Linear(3, 4)(x)
frit.relu(x, out=None)
