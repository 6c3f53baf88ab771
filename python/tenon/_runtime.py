"""The C API through ctypes. A call through CDLL releases the interpreter's
lock until it returns. The layout of structs is the one that layout.c has
found."""
import ctypes
import os

from . import _layout, _place

_CODES = {"s": ctypes.c_char_p, "p": ctypes.c_void_p, "i": ctypes.c_int32,
          "I": ctypes.c_uint32, "q": ctypes.c_int64, "Q": ctypes.c_uint64,
          "f": ctypes.c_float, "d": ctypes.c_double}


def _struct(name):
    """The class of a struct; bytes between known fields become padding."""
    size, known = getattr(_layout, name)
    fields, end = [], 0
    for field, (offset, code) in sorted(known.items(), key=lambda f: f[1][0]):
        if offset > end:
            fields.append((f"_at_{end}", ctypes.c_char * (offset - end)))
        fields.append((field, _CODES[code]))
        end = offset + ctypes.sizeof(_CODES[code])
    if size > end:
        fields.append((f"_at_{end}", ctypes.c_char * (size - end)))
    made = type(name, (ctypes.Structure,), {"_pack_": 1, "_fields_": fields})
    assert ctypes.sizeof(made) == size, name
    return made


ModelDesc = _struct("tenon_model_desc")
FunctionDesc = _struct("tenon_function_desc")
TensorDesc = _struct("tenon_tensor_desc")
DimDesc = _struct("tenon_dim_desc")
ModelInfo = _struct("tenon_model_info")
OpenOptions = _struct("tenon_open_options")
ContextOptions = _struct("tenon_context_options")
Extent = _struct("tenon_extent")
ExtentDesc = _struct("tenon_extent_desc")
Tensor = _struct("tenon_tensor")
GeneratorOptions = _struct("tenon_generator_options")
Prompt = _struct("tenon_prompt")
Generation = _struct("tenon_generation")
Sequence = _struct("tenon_sequence")
TranscriberOptions = _struct("tenon_transcriber_options")
Transcription = _struct("tenon_transcription")
Segment = _struct("tenon_segment")
SpeechIds = _struct("tenon_speech_ids")


def open_library(name):
    """A library of Tenon: beside this package, otherwise the system's."""
    here = os.path.dirname(os.path.realpath(__file__))
    folder = os.path.dirname(os.path.join(here, _place.LIBRARY))
    path = os.path.normpath(os.path.join(folder, name))
    return ctypes.CDLL(path if os.path.exists(path) else name)


def _load():
    loaded = open_library(os.path.basename(_place.LIBRARY))
    loaded.tenon_abi_version.restype = ctypes.c_uint32
    version = loaded.tenon_abi_version()
    if version != _layout.ABI_VERSION:
        raise ImportError(f"this package is for runtime ABI "
                          f"{_layout.ABI_VERSION}, the runtime has {version}")
    return loaded


_runtime = _load()
# They need the runtime, which is loaded by now.
_generate = open_library("libtenon_generate.so.1")
_transcribe = open_library("libtenon_transcribe.so.1")


def _declare(name, result, *arguments, library=_runtime):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
    return function


_P, _S, _I = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
open_model = _declare("tenon_open", _I, _S, _P, _P)
close_model = _declare("tenon_close", _I, _P)
describe = _declare("tenon_describe", ctypes.POINTER(ModelDesc), _P)
get_info = _declare("tenon_get_model_info", _I, _P, _P)
create_context = _declare("tenon_context_create", _I, _P, _P, _P)
destroy_context = _declare("tenon_context_destroy", _I, _P)
context_text = _declare("tenon_context_text", _S, _P)
context_memory = _declare("tenon_context_memory", ctypes.c_uint64, _P)
set_timeout = _declare("tenon_context_set_timeout", _I, _P, ctypes.c_int64)
reset_state = _declare("tenon_context_reset_state", _I, _P)
cancel = _declare("tenon_cancel", None, _P)
run = _declare("tenon_run", _I, _P, _S, _P, ctypes.c_size_t, _P,
               ctypes.c_size_t)
plan = _declare("tenon_plan", _I, _P, _S, _P, ctypes.c_size_t, _P,
                ctypes.c_size_t, _P)

TOKEN_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, _P, ctypes.c_size_t,
                                  ctypes.c_int64)
ALLOW_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, _P, ctypes.c_size_t,
                                  ctypes.c_size_t, _P, ctypes.c_size_t)
create_generator = _declare("tenon_generator_create", _I, _P, _P, _P,
                            library=_generate)
destroy_generator = _declare("tenon_generator_destroy", _I, _P,
                             library=_generate)
generator_text = _declare("tenon_generator_text", _S, _P, library=_generate)
set_option = _declare("tenon_generator_set", _I, _P, _P, library=_generate)
unset_option = _declare("tenon_generator_unset", _I, _P, _S, library=_generate)
generate = _declare("tenon_generator_run", _I, _P, _P, library=_generate)
cancel_generator = _declare("tenon_generator_cancel", None, _P,
                            library=_generate)
count_sequences = _declare("tenon_generator_num_sequences", ctypes.c_size_t, _P,
                           library=_generate)
get_sequence = _declare("tenon_generator_get_sequence", _I, _P, ctypes.c_size_t,
                        _P, library=_generate)
generator_context = _declare("tenon_generator_context", _P, _P,
                             library=_generate)
kept_columns = _declare("tenon_generator_kept", ctypes.c_size_t, _P,
                        library=_generate)

SOUND_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, _P, ctypes.c_int64, _P,
                                  ctypes.c_int64)
SEGMENT_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, _P, ctypes.POINTER(Segment))
create_transcriber = _declare("tenon_transcriber_create", _I, _P, _P, _P,
                              library=_transcribe)
destroy_transcriber = _declare("tenon_transcriber_destroy", _I, _P,
                               library=_transcribe)
transcriber_text = _declare("tenon_transcriber_text", _S, _P,
                            library=_transcribe)
set_speech_option = _declare("tenon_transcriber_set", _I, _P, _P,
                             library=_transcribe)
unset_speech_option = _declare("tenon_transcriber_unset", _I, _P, _S,
                               library=_transcribe)
transcribe = _declare("tenon_transcriber_run", _I, _P, _P, library=_transcribe)
cancel_transcriber = _declare("tenon_transcriber_cancel", None, _P,
                              library=_transcribe)
speech_language = _declare("tenon_transcriber_language", _S, _P,
                           library=_transcribe)
transcriber_context = _declare("tenon_transcriber_context", _P, _P,
                               library=_transcribe)
get_speech_ids = _declare("tenon_transcriber_get_ids", _I, _P, _P,
                          library=_transcribe)


def text(value):
    """A string of the C API as str."""
    return (value or b"").decode("utf-8", "replace")
