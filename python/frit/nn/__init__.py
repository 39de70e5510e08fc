"""Modules: trees of parameters, buffers and other modules, with PyTorch's layers, names and initial values."""
from frit.nn.parameter import Buffer, Parameter
from frit.nn.modules import *  # noqa: F403
from frit.nn.modules import __all__ as _modules
from frit.nn import functional, init, modules, parameter, utils

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "parameter", "utils", *_modules]
