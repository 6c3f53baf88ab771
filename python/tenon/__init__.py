"""Tenon's compiled models in Python.

    import tenon
    f = tenon.compile("mlp.onnx")      # compiled once, then cached
    y = f(x)                           # numpy in, numpy out

`tenon.load("mlp.so")` opens an artifact compiled before. A model is called
with its inputs in order or by name; `f.inputs` and `f.outputs` describe them.

    tenon.generate("tinyllama/", "Once upon", max_new_tokens=20)

continues texts with a language model; `Generator` does so repeatedly.

    tenon.transcribe("whisper-tiny/", samples).text

writes down speech; `Transcriber` does so repeatedly.
"""
from ._compile import compile
from ._description import Dim, TensorType
from ._errors import (ArtifactError, Cancelled, DeviceError, Error, FileError,
                      InputError, InternalError, LimitError, ModelError,
                      UnsupportedError, UsageError)
from ._generate import GeneratedSequence, Generator, generate
from ._model import Context, Function, Model, load
from ._tensors import BFloat16Array, Outputs, bfloat16
from ._tokenizer import Tokenizer
from ._transcribe import Segment, Transcriber, Transcript, transcribe

__all__ = [
    "ArtifactError", "BFloat16Array", "Cancelled", "Context", "DeviceError",
    "Dim", "Error", "FileError", "Function", "GeneratedSequence", "Generator", "InputError",
    "InternalError", "LimitError", "Model", "ModelError", "Outputs",
    "Segment", "TensorType", "Tokenizer", "Transcriber", "Transcript",
    "UnsupportedError", "UsageError", "bfloat16", "compile", "generate",
    "load", "transcribe"]
