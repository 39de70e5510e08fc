"""State dicts in files, in the safetensors format; C++ reads and writes the same files."""
import os

from frit import _C


def save(obj, path, metadata=None):
    """Writes a dict of tensors, such as module.state_dict()."""
    if not hasattr(obj, "items"):
        raise TypeError(f"save() takes a dict of tensors (a state_dict), not {type(obj).__name__}; "
                        "other objects are pickled: pickle.dump(obj, file)")
    tensors = []
    for name, value in obj.items():
        if not isinstance(name, str) or not isinstance(value, _C.Tensor):
            raise TypeError(f"save(): the entry {name!r} is a {type(value).__name__}; a state dict has names and tensors")
        tensors.append((name, value.detach()))
    _C._save(tensors, os.fspath(path), metadata or {})


def load(path):
    """The dict of tensors that save() wrote."""
    return dict(_C._load(os.fspath(path)))
