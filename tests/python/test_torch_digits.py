"""examples/digits.py over PyTorch's tensors."""
import argparse
import importlib.util
import pathlib
import sys

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import frit  # noqa: E402

DIGITS = pathlib.Path(__file__).resolve().parent.parent.parent / "examples" / "digits.py"


@pytest.fixture(scope="module")
def digits():
    before = sys.argv
    sys.argv = [str(DIGITS), "--tensors", "torch"]
    try:
        spec = importlib.util.spec_from_file_location("torch_digits", DIGITS)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.argv = before
    assert module.lib is torch
    return module


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
def test_digits(digits, optimizer):
    settings = argparse.Namespace(optimizer=optimizer, epochs=6, seed=0)
    data = digits.Data(0)
    for dtype, first, rest in ((torch.float32, 1e-5, 1e-3), (torch.float64, 1e-10, 1e-10)):
        agreement = digits.compare(settings, data, dtype)
        assert agreement["equal_masks"] == digits.COMPARED
        assert agreement["first_10"] < first and agreement["first_100"] < rest
    trainer = digits.Trainer(settings)
    compiled, step = digits.compile_step(trainer)
    assert digits.train(settings, data, trainer, step, frit.compile(trainer.predict))["accuracy"] > 0.9
    found = frit.explain(compiled)(*digits.first_batch(data))
    assert (len(found.entries), found.breaks, found.plain_calls) == (1, [], 0), str(found)
    assert "torch_bernoulli__" in found.entries[0]["graph"]
