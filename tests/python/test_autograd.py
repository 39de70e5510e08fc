"""Gradients, modes and hooks from Python."""
import threading

import frit
import pytest


def test_backward_adds_up():
    x = frit.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    (x * 3).sum().backward()
    assert x.grad.tolist() == [5.0, 7.0]
    x.grad = None
    assert x.grad is None
    (x * x).backward(frit.tensor([1.0, 10.0]))
    assert x.grad.tolist() == [2.0, 40.0]


def test_grad():
    x = frit.tensor([1.0, 2.0], requires_grad=True)
    y = (x**3).sum()
    (first,) = frit.autograd.grad(y, x, create_graph=True)
    (second,) = frit.autograd.grad(first.sum(), x)
    assert first.tolist() == [3.0, 12.0] and second.tolist() == [6.0, 12.0] and x.grad is None
    z = frit.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        frit.autograd.grad((x * 2).sum(), [x, z])
    assert frit.autograd.grad((x * 2).sum(), [x, z], allow_unused=True)[1] is None
    assert frit.autograd.grad((x * 2).sum(), [x, z], materialize_grads=True)[1].tolist() == [0.0]


def test_a_second_backward():
    x = frit.ones(2, requires_grad=True)
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        y.backward()


def test_modes():
    x = frit.ones(2, requires_grad=True)
    with frit.no_grad():
        assert not (x * 2).requires_grad and not frit.is_grad_enabled()
        with frit.enable_grad():
            assert (x * 2).requires_grad
        assert not frit.is_grad_enabled()
    assert (x * 2).requires_grad

    @frit.no_grad()
    def decorated():
        return x * 2

    @frit.no_grad
    def bare():
        return x * 2
    assert not decorated().requires_grad and not bare().requires_grad and decorated.__name__ == "decorated"

    @frit.no_grad()
    def generator():
        while True:
            sent = yield (x * 2).requires_grad
            if sent:
                return
    running = generator()
    assert next(running) is False and frit.is_grad_enabled() and next(running) is False

    with frit.inference_mode():
        assert frit.is_inference_mode_enabled() and not (x * 2).requires_grad
    assert not frit.is_inference_mode_enabled()
    frit.set_grad_enabled(False)
    assert not frit.is_grad_enabled()
    frit.set_grad_enabled(True)
    with frit.set_grad_enabled(False):
        assert not frit.is_grad_enabled()
    assert frit.is_grad_enabled()


def test_an_exception_restores_the_mode():
    with pytest.raises(KeyError):
        with frit.no_grad():
            raise KeyError
    assert frit.is_grad_enabled()


def test_hooks():
    x, seen = frit.ones(2, requires_grad=True), []
    y = x * 2
    handle = y.register_hook(lambda g: seen.append(g.tolist()) or g * 10)
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf is x))
    y.sum().backward()
    assert seen == [[1.0, 1.0], True] and x.grad.tolist() == [20.0, 20.0]
    handle.remove()
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        frit.ones(1).register_hook(lambda g: None)


def test_an_exception_of_a_hook():
    class Mine(Exception):
        pass

    def hook(grad):
        raise Mine("of the hook")
    x = frit.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(hook)
    with pytest.raises(Mine, match="of the hook") as error:
        y.sum().backward()
    assert any(entry.name == "hook" for entry in error.traceback)
    y = x * 2
    y.register_hook(lambda g: 3)
    with pytest.raises(TypeError, match="a hook returns a tensor or None, not int"):
        y.sum().backward()


def test_writes_to_what_was_kept():
    x = frit.ones(2, requires_grad=True)
    y = x.exp()
    z = y.sum()
    y.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x.add_(1)


def test_grad_fn():
    x = frit.ones(2, requires_grad=True)
    y = (x + 1) * 2
    assert y.grad_fn.name().startswith("MulBackward") and repr(y.grad_fn).startswith("<MulBackward")
    assert y.grad_fn == y.grad_fn and x.grad_fn is None and y.grad_fn.next_functions[0][0].name().startswith("AddBackward")
    y.retain_grad()
    y.sum().backward()
    assert y.retains_grad and y.grad.tolist() == [1.0, 1.0]


def test_modes_belong_to_their_thread():
    seen = []
    with frit.no_grad():
        t = threading.Thread(target=lambda: seen.append(frit.is_grad_enabled()))
        t.start()
        t.join()
    assert seen == [True]


def test_threads_compute_at_once():
    x = frit.randn(300, 300)
    results, errors = [], []

    def work():
        try:
            w = frit.nn.Parameter(frit.eye(300))
            for _ in range(20):
                (x @ w).relu().sum().backward()
            results.append(w.grad)
            with pytest.raises(RuntimeError):
                x @ frit.ones(3)
        except BaseException as error:
            errors.append(error)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and all(frit.allclose(r, results[0], 1e-4) for r in results)


def test_data():
    x = frit.ones(2, requires_grad=True)
    x.data.mul_(3)
    assert x.tolist() == [3.0, 3.0] and not x.data.requires_grad
    x.data = frit.zeros(3)
    assert x.shape == (3,) and x.requires_grad
    with pytest.raises(TypeError, match="Variable data has to be a tensor"):
        x.data = 3


def test_data_that_it_shows_already():
    x = frit.ones(2, requires_grad=True)
    y = (x * x).sum()
    x.data = x.data
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]
    x.data = x.data[:1]
    assert x.shape == (1,)
