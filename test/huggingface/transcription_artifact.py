"""Speech to text by libtenon_transcribe, through ctypes."""
import ctypes
import os

import numpy as np

from generation_artifact import package
from reference_longform import Judged, Result, Segment

Text, Pointer, Size = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
I32, I64 = ctypes.c_int32, ctypes.c_int64
F32, F64 = ctypes.c_float, ctypes.c_double
ON, OFF = 1, 2


class Told(ctypes.Structure):
    """tenon_segment"""
    _fields_ = [("start", F64), ("end", F64), ("ids", ctypes.POINTER(I64)),
                ("count", Size), ("seek", I64), ("temperature", F32),
                ("mean_logprob", F32), ("compression_ratio", F32),
                ("no_speech", F32)]


READ = ctypes.CFUNCTYPE(I64, Pointer, I64, ctypes.POINTER(F32), I64)
SEGMENT = ctypes.CFUNCTYPE(ctypes.c_int, Pointer, ctypes.POINTER(Told))


class Transcription(ctypes.Structure):
    """tenon_transcription"""
    _fields_ = [("struct_size", Size), ("read", READ), ("read_state", Pointer),
                ("on_segment", SEGMENT), ("on_segment_state", Pointer),
                ("language", Text), ("task", Text), ("timestamps", I32),
                ("prompt_ids", Pointer), ("num_prompt_ids", Size),
                ("condition_on_prev_tokens", I32), ("prompt_condition", I32),
                ("temperatures", Pointer), ("num_temperatures", Size),
                ("compression_ratio_threshold", ctypes.POINTER(F32)),
                ("logprob_threshold", ctypes.POINTER(F32)),
                ("no_speech_threshold", ctypes.POINTER(F32)),
                ("timeout_ns", I64)]


class Failed(Exception):
    """A call that the library refuses."""


class Transcriber:
    """An artifact opened by the Python package, and the C library."""

    def __init__(self, build, path, threads=1):
        self.model = package(build).load(path, threads=threads)
        self.library = ctypes.CDLL(
            os.path.join(build, "lib", "libtenon_transcribe.so"))
        for told in ("text", "language"):
            getattr(self.library,
                    "tenon_transcriber_" + told).restype = Text
        self.address = Pointer()
        self.checked("create", Pointer(self.model._handle.model), None,
                     ctypes.byref(self.address))

    def checked(self, name, *arguments):
        status = getattr(self.library, f"tenon_transcriber_{name}")(*arguments)
        if status != 0:
            text = self.library.tenon_transcriber_text(self.address) \
                if self.address else b""
            raise Failed(f"{name}: status {status}: {text.decode()}")

    def set(self, changes):
        self.checked("unset", self.address, None)
        for name, value in changes.items():
            if isinstance(value, float):
                self.checked("set_f32", self.address, name.encode(),
                             F32(value))
            else:
                self.checked("set_i64", self.address, name.encode(),
                             I64(value))

    def run(self, samples, settings, changes):
        """The language's name, the segments, and for windows that have some
        their seeks, temperatures and what is known of the text."""
        self.set(changes)
        samples = np.ascontiguousarray(samples, np.float32)
        segments, windows = [], {}

        def read(_, at, target, count):
            part = samples[at:at + count]
            ctypes.memmove(target, part.ctypes.data, part.nbytes)
            return len(part)

        def tell(_, told):
            told = told.contents
            segments.append(Segment(told.start, told.end,
                                    told.ids[:told.count]))
            windows[told.seek] = told.temperature, Judged(
                False, False, told.compression_ratio, told.mean_logprob,
                told.no_speech)
            return 0

        def number(value):
            return None if value is None else ctypes.pointer(F32(value))
        s = settings
        temperatures = (F32 * len(s.temperatures))(*s.temperatures)
        prompt = (I64 * max(1, len(s.prompt)))(*s.prompt)
        call = Transcription(
            ctypes.sizeof(Transcription), READ(read), None, SEGMENT(tell),
            None, s.language and s.language.encode(),
            s.task and s.task.encode(), ON if s.timestamps else OFF,
            ctypes.addressof(prompt) if s.prompt else None, len(s.prompt),
            s.condition, s.prompt_everywhere, ctypes.addressof(temperatures),
            len(temperatures), number(s.compression),
            number(s.log_probability), number(s.no_speech), 0)
        self.checked("run", self.address, ctypes.byref(call))
        language = self.library.tenon_transcriber_language(self.address)
        return Result(language and language.decode(), segments,
                      [temperature for temperature, _ in windows.values()],
                      list(windows), [one for _, one in windows.values()])

    def close(self):
        self.checked("destroy", self.address)
        self.model.close()
