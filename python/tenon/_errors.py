"""Exceptions: one class for each status, with the text of the runtime or the
compiler. `status` is the exit code of the command line."""


class Error(Exception):
    """The base class of all errors of Tenon."""
    status = 1


class UsageError(Error, ValueError):
    """An option of the compiler is wrong."""
    status = 2


class ModelError(Error, ValueError):
    """A model or a data file is invalid."""
    status = 3


class UnsupportedError(Error, NotImplementedError):
    """The model is valid but uses an unsupported feature."""
    status = 4


class LimitError(Error, MemoryError):
    """Out of memory, or beyond a limit that was set."""
    status = 5


class FileError(Error, OSError):
    """A file could not be opened, read, mapped or written."""
    status = 6


class ArtifactError(Error):
    """The artifact is damaged, of another ABI, or not for this machine."""
    status = 7


class DeviceError(Error):
    """The device is not here, or cannot run the model."""
    status = 7


class InputError(Error, ValueError):
    """An argument, a tensor or a value is wrong."""
    status = 8


class Cancelled(Error):
    """Cancelled, or beyond the deadline."""
    status = 10


class InternalError(Error):
    """A bug of Tenon."""
    status = 70


_CLASSES = {each.status: each for each in (
    UsageError, ModelError, UnsupportedError, LimitError, FileError,
    ArtifactError, InputError, Cancelled, InternalError)}
_NO_DEVICE = 11  # TENON_NO_DEVICE, which is 7 on the command line
_CLASSES[_NO_DEVICE] = DeviceError


def error_of(status, text):
    """The exception for a status and its text."""
    return _CLASSES.get(status, Error)(text)
