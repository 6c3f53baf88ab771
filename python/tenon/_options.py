"""Values of generation options as tensors of the C API."""
import ctypes

from . import _runtime as rt
from ._calls import _CODES
from ._errors import InputError
from ._tensors import view_of

# In the model's tables -1 means that no length is given.
_LENGTHS = ("max_new_tokens", "max_length")


def _lists(value, what):
    """Lists of one length: shorter ones get -1 on the left."""
    try:
        lists = [list(each) for each in value]
    except TypeError as error:
        raise InputError(f"{what}: expected lists of ids") from error
    longest = max(map(len, lists), default=1)
    return [[-1] * (longest - len(each)) + each for each in lists], longest


def option_tensor(name, value, known):
    """The value as a tensor, and the objects that own its memory. `known` has
    the types of the options by name; the library refuses an unknown name."""
    what = f'option "{name}"'
    tensor = known.get(name)
    shape = None
    if name in _LENGTHS and isinstance(value, int) and value < 1:
        raise InputError(f"{what}: expected at least 1, got {value}")
    if name == "early_stopping" and value == "never":
        value = 2
    if tensor is not None and len(tensor.dims) == 1 and \
            isinstance(value, (int, float)):
        value = [value]
    if tensor is not None and len(tensor.dims) == 2 and \
            isinstance(value, (list, tuple)):
        value, longest = _lists(value, what)
        shape = (len(value), longest)
    view = view_of(value, tensor.dtype if tensor else None, what)
    shape = view.shape if shape is None else shape
    extents = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    label = name.encode()
    made = rt.Tensor(struct_size=ctypes.sizeof(rt.Tensor), name=label,
                     dtype=_CODES.get(view.dtype, 0), rank=len(shape),
                     dims=ctypes.addressof(extents), data=view.address or None,
                     bytes=view.bytes)
    return made, (view, extents, label)
