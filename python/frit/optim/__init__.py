"""Optimisers and schedules of their learning rates, with PyTorch's names and formulas.

All state is made in the constructor; the number of steps and each learning rate are float64 tensors of no
dimensions, so that the first step records the same graph as the thousandth, and a schedule recompiles
nothing. One step count serves a group.
"""
from frit.optim.optimizer import Optimizer
from frit.optim.adam import Adam, AdamW
from frit.optim.sgd import SGD
from frit.optim import lr_scheduler

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
