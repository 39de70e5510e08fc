"""Every op by its name, those that are parts of others and in-place ones too."""
from frit import _C

globals().update(_C.ops)
__all__ = list(_C.ops)
