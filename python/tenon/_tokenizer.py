"""Tokenizers: text to ids and back, by libtenon_tokenizers."""
import ctypes
import functools
import os
import weakref

from . import _runtime as rt
from ._errors import error_of

_BAD_INPUT = 8
_ERROR_BYTES = 16384


class _Error(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("bytes", ctypes.c_size_t)]


@functools.lru_cache(None)
def _library():
    """Loaded on first use, because models need no tokenizer."""
    library = rt.open_library("libtenon_tokenizers.so.1")
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    library.tenon_tokenizer_open.argtypes = [ctypes.c_char_p, pointer, pointer]
    library.tenon_tokenizer_close.argtypes = [pointer]
    library.tenon_tokenizer_close.restype = None
    library.tenon_tokenizer_encode.argtypes = [
        pointer, ctypes.c_char_p, size, ctypes.c_int, pointer, size, pointer,
        pointer]
    library.tenon_tokenizer_decode.argtypes = [
        pointer, pointer, size, ctypes.c_int, pointer, size, pointer, pointer]
    return library


def has_tokenizer(folder):
    """True if a folder has files that a `Tokenizer` reads."""
    return os.path.isdir(folder) and any(
        os.path.exists(os.path.join(folder, name))
        for name in ("tokenizer.json", "vocab.json", "spiece.model"))


class Tokenizer:
    """The tokenizer of a checkpoint's folder, or of a tokenizer.json."""

    def __init__(self, path):
        self.path = os.fspath(path)
        handle = ctypes.c_void_p()
        self._call(_library().tenon_tokenizer_open, os.fsencode(path),
                   after=(ctypes.byref(handle),))
        self._handle = handle
        weakref.finalize(self, _library().tenon_tokenizer_close, handle.value)

    def _call(self, function, *arguments, after=()):
        said = ctypes.create_string_buffer(_ERROR_BYTES)
        error = _Error(ctypes.addressof(said), _ERROR_BYTES)
        status = function(*arguments, ctypes.byref(error), *after)
        if status not in (0, _BAD_INPUT):
            raise error_of(status, rt.text(said.value))
        return status

    def _fill(self, function, kind, capacity, *arguments):
        """Calls a function that writes an array: again if it is too short."""
        count = ctypes.c_size_t()
        while True:
            room = (kind * max(1, capacity))()
            status = self._call(function, self._handle, *arguments, room,
                                capacity, ctypes.byref(count))
            if status == 0:
                return room[:count.value]
            capacity = count.value

    def encode(self, text, *, add_special=True):
        """The ids of a text. add_special: with the special tokens that the
        model wants around a text."""
        given = text.encode("utf-8", "surrogatepass")
        return self._fill(_library().tenon_tokenizer_encode, ctypes.c_uint32,
                          len(given) + 16, given, len(given), add_special)

    def decode(self, ids, *, skip_special=True):
        """The text of ids. Raises ValueError for one that is no 32-bit
        number."""
        for token in ids:
            if not 0 <= int(token) < 1 << 32:
                raise ValueError(f"id {int(token)}: expected 0 to {(1 << 32) - 1}")
        given = (ctypes.c_uint32 * max(1, len(ids)))(*map(int, ids))
        made = self._fill(_library().tenon_tokenizer_decode, ctypes.c_char,
                          8 * len(ids) + 16, given, len(ids), skip_special)
        return made.decode("utf-8", "replace")
