"""Modules: trees of parameters, buffers and other modules, with PyTorch's layers, names and initial values."""
from frit.nn import functional, init, modules, parameter, utils
from frit.nn.modules import *  # noqa: F403
from frit.nn.parameter import Buffer, Parameter

__all__ = ["Buffer", "Parameter", "functional", "init", "modules", "parameter", "utils"]
__all__ += modules.__all__
