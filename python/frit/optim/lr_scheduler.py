"""Schedules of the learning rate, with PyTorch's names and values.

Every schedule gives the rate as a function of the number of steps and of the rate the optimiser had when the
schedule was made, and step() is ops on tensors: nothing is compiled again when the rate changes.
"""
import math

from frit import _C
from frit.autograd import no_grad
from frit.optim.optimizer import copy_in, number

__all__ = ["ConstantLR", "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR",
           "StepLR"]


class LRScheduler:
    @no_grad()
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.last_step = number(0)
        self.base_lrs = [group["lr"].clone() for group in optimizer.param_groups]
        self._apply()

    def rate(self, base, step, group):
        """The rate after that many steps; all are float64 tensors of no dimensions."""
        raise NotImplementedError

    def _apply(self):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.base_lrs):
            raise ValueError("the optimizer has got another group since the schedule was made")
        for i, group in enumerate(groups):
            group["lr"].copy_(self.rate(self.base_lrs[i], self.last_step, i))

    @no_grad()
    def step(self):
        """One more step (an epoch, or a batch: as you count); the optimiser's rates follow."""
        self.last_step.add_(1)
        self._apply()

    @property
    def last_epoch(self):
        return int(self.last_step)

    def get_last_lr(self):
        return [group["lr"].item() for group in self.optimizer.param_groups]

    def state_dict(self):
        return {"step": self.last_step, **{f"base_lr.{i}": base for i, base in enumerate(self.base_lrs)}}

    def load_state_dict(self, state_dict):
        copy_in(self.state_dict(), state_dict, type(self).__name__)


class LambdaLR(LRScheduler):
    """The base rate times a function of the step: of a number (the step is read), or, with of_tensor, of a tensor."""

    def __init__(self, optimizer, lr_lambda, *, of_tensor=False):
        count = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * count
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        self.of_tensor = of_tensor
        super().__init__(optimizer)

    def rate(self, base, step, group):
        return base * self.lr_lambdas[group](step.clone() if self.of_tensor else int(step))


class StepLR(LRScheduler):
    """gamma once every step_size steps."""

    def __init__(self, optimizer, step_size, gamma=0.1):
        if step_size < 1:
            raise ValueError(f"step_size is {step_size}; 1 or more")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def rate(self, base, step, group):
        return base * self.gamma ** (step / self.step_size).floor()


class MultiStepLR(LRScheduler):
    """gamma once for every milestone that is reached."""

    def __init__(self, optimizer, milestones, gamma=0.1):
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(optimizer)

    def rate(self, base, step, group):
        reached = _C.ops["zeros_like"](step)
        for milestone in self.milestones:
            reached = reached + (step >= milestone).to(_C.float64)
        return base * self.gamma**reached


class ExponentialLR(LRScheduler):
    def __init__(self, optimizer, gamma):
        self.gamma = gamma
        super().__init__(optimizer)

    def rate(self, base, step, group):
        return base * self.gamma**step


class ConstantLR(LRScheduler):
    """factor until total_iters, then 1."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer)

    def rate(self, base, step, group):
        return base * _C.ops["where"](step < self.total_iters, self.factor, 1.0).to(_C.float64)


class LinearLR(LRScheduler):
    """From start_factor to end_factor over total_iters, then constant."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer)

    def rate(self, base, step, group):
        slope = (self.end_factor - self.start_factor) / self.total_iters
        return base * (step.clamp_max(float(self.total_iters)) * slope + self.start_factor)


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the base rate to eta_min in T_max steps, and back in as many."""

    def __init__(self, optimizer, T_max, eta_min=0.0):
        if T_max < 1:
            raise ValueError(f"T_max is {T_max}; 1 or more")
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer)

    def rate(self, base, step, group):
        return (base - self.eta_min) * (((step * (math.pi / self.T_max)).cos() + 1) * 0.5) + self.eta_min
