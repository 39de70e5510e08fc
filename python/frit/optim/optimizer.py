"""What all optimisers share: groups of parameters, their state, steps."""
from frit import _C
from frit.autograd import enable_grad, no_grad


def number(value):
    """A float64 tensor of no dimensions."""
    return _C._tensor(float(value), dtype=_C.float64)


class ParamGroup(dict):
    """A group's options. lr is a tensor; a number that is assigned is written into it."""

    def __setitem__(self, name, value):
        if name == "lr" and "lr" in self and not isinstance(value, _C.Tensor):
            with no_grad():
                self["lr"].fill_(_checked_rate(value))
        else:
            super().__setitem__(name, value)


def _checked_rate(lr):
    if not 0.0 <= float(lr):
        raise ValueError(f"Invalid learning rate: {lr}")
    return float(lr)


class Optimizer:
    """Updates parameters by their gradients: subclasses say how, in update()."""

    # The names of the tensors that each parameter has, which start as zeros like it: in `state` by parameter, and
    # in the group as lists in the order of its parameters, which is what update() reads.
    state_names: tuple[str, ...] = ()

    def __init__(self, params, defaults):
        self.defaults = defaults
        self.state = {}
        self.param_groups = []
        if isinstance(params, _C.Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, "
                            "but got frit.Tensor")
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Parameters with options of their own."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        params = [given] if isinstance(given, _C.Tensor) else list(given)
        if params and isinstance(params[0], tuple):  # named_parameters()
            params = [p for _, p in params]
        if not params:
            raise ValueError("optimizer got an empty parameter list")
        known = {p for group in self.param_groups for p in group["params"]}
        for p in params:
            if not isinstance(p, _C.Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
            if not p.dtype.is_floating_point:
                raise TypeError(f"can't optimize a Tensor of dtype {p.dtype}: floating point parameters are expected")
            if p in known:
                raise ValueError("some parameters appear in more than one parameter group, or twice in one")
            known.add(p)
        group = ParamGroup(params=params)
        for name, value in {**self.defaults, **param_group}.items():
            if name not in ("params", "lr"):
                group[name] = value
        lr = param_group.get("lr", self.defaults["lr"])
        group["lr"] = number(_checked_rate(lr)) if not isinstance(lr, _C.Tensor) else lr
        group["step"] = number(0)
        for p in params:
            self.state[p] = {name: _C.ops["zeros_like"](p.detach()) for name in self.state_names}
        for name in self.state_names:
            group[name] = [self.state[p][name] for p in params]
        self.param_groups.append(group)

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none:
                    p.grad = None  # unseen: whether there was one is no part of a compiled step's key
                elif p.grad is not None:
                    p.grad = _C.ops["zeros_like"](p.grad)

    @no_grad()
    def step(self, closure=None):
        """Updates every parameter that has a gradient."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            group["step"].add_(1)
            self.update(group)
        return loss

    def update(self, group):
        raise NotImplementedError

    def state_dict(self):
        """Names and tensors, as save() takes them: "0.lr", "0.step", "0.exp_avg.3", ..."""
        found = {}
        for i, group in enumerate(self.param_groups):
            found[f"{i}.step"] = group["step"]
            found[f"{i}.lr"] = group["lr"]
            for name in self.state_names:
                for k, value in enumerate(group[name]):
                    found[f"{i}.{name}.{k}"] = value
        return found

    def load_state_dict(self, state_dict):
        """Copies values in; what does not fit is listed, and then nothing has been changed."""
        copy_in(self.state_dict(), state_dict, type(self).__name__)

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for name in sorted(group):
                if name != "params" and name not in self.state_names:
                    value = group[name]
                    text += f"    {name}: {value.item() if isinstance(value, _C.Tensor) else value}\n"
        return text + ")"


@no_grad()
def copy_in(mine, given, what):
    """Copies the given tensors into those of the same names."""
    wrong = [f"unexpected: {name}" for name in given if name not in mine]
    for name, t in mine.items():
        if name not in given:
            wrong.append(f"missing: {name}")
        elif given[name].shape != t.shape:
            wrong.append(f"{name} is {list(given[name].shape)} in the state and {list(t.shape)} here")
    if wrong:
        raise ValueError(f"the state does not fit this {what}:\n    " + "\n    ".join(wrong))
    for name, t in mine.items():
        t.copy_(given[name])
