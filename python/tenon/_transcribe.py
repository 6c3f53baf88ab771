"""Speech to text, by libtenon_transcribe: sound in, segments out."""
import contextlib
import ctypes
import os
import weakref
from typing import NamedTuple

import numpy as np

from . import _runtime as rt
from ._compile import compile as compile_model
from ._errors import InputError, error_of
from ._model import _ERROR_BYTES, Model, _nanoseconds, load
from ._options import option_tensor
from ._tokenizer import Tokenizer, has_tokenizer
from ._wav import WavFile

_CONDITIONS = {"first-segment": 0, "all-segments": 1}


class Segment(NamedTuple):
    """A piece of text with its place in the sound, in seconds."""
    start: float
    end: float
    ids: np.ndarray  # i64, with the ids of times
    text: str  # None without a tokenizer
    seek: int  # the window's first frame, of 0.01 s
    temperature: float
    mean_logprob: float  # NaN without its threshold, as the next two
    compression_ratio: float
    no_speech: float


class Transcript(NamedTuple):
    """What is said in a sound."""
    language: str  # None if none was given or found
    segments: list

    @property
    def text(self):
        """The texts of all segments, one after another."""
        return "".join(segment.text for segment in self.segments).strip()


@contextlib.contextmanager
def _reader(sound):
    """A function that gives `count` samples from `at`."""
    if callable(sound):
        yield sound
    elif isinstance(sound, (str, os.PathLike)):
        with contextlib.closing(WavFile(sound)) as file:
            yield file
    else:
        samples = np.ascontiguousarray(sound, np.float32)
        if samples.ndim != 1:
            raise InputError(f"the sound: expected samples of one channel, got "
                             f"an array of {samples.ndim} dimensions")
        yield lambda at, count: samples[at:at + count]


class Transcriber:
    """Writes down sounds with one model. It serves one call at a time."""

    def __init__(self, model, *, tokenizer=None, memory_limit=0):
        """model: an open `Model` of speech. tokenizer: a `Tokenizer`, or the
        path of one, for texts. memory_limit: bytes of working memory."""
        if isinstance(tokenizer, (str, os.PathLike)):
            tokenizer = Tokenizer(tokenizer)
        self.model, self.tokenizer = model, tokenizer
        said = ctypes.create_string_buffer(_ERROR_BYTES)
        options = rt.TranscriberOptions(
            struct_size=ctypes.sizeof(rt.TranscriberOptions),
            error_text=ctypes.addressof(said), error_text_bytes=_ERROR_BYTES,
            memory_limit=memory_limit)
        self._handle = model._handle
        status, self._address = self._handle.create(
            options, rt.create_transcriber, rt.destroy_transcriber)
        if status != 0:
            raise error_of(status, rt.text(said.value))
        weakref.finalize(self, self._handle.destroy, self._address)
        self._known = {tensor.name: tensor
                       for tensor in model["start"].inputs}
        self._set = {}
        ids = rt.SpeechIds(struct_size=ctypes.sizeof(rt.SpeechIds))
        with self as address:
            rt.get_speech_ids(address, ctypes.byref(ids))
        self._first_timestamp = ids.first_timestamp
        self._previous_text = ids.previous_text

    def __enter__(self):
        self._handle.enter(self._address)
        return self._address

    def __exit__(self, *_):
        self._handle.leave(self._address)

    def _check(self, status):
        if status != 0:
            raise error_of(status,
                           rt.text(rt.transcriber_text(self._address)))

    def set(self, **options):
        """Sets options of all later calls; None gives an option the model's
        default again."""
        for name, value in options.items():
            self._give(name, value)
            self._set[name] = value

    def _give(self, name, value):
        with self as address:
            if value is None:
                self._check(rt.unset_speech_option(address, name.encode()))
                return
            tensor, kept = option_tensor(name, value, self._known)
            self._check(rt.set_speech_option(address, ctypes.byref(tensor)))
            del kept

    def _prompt(self, prompt):
        """Ids that precede the sound; those of a text begin with the id that
        marks earlier text."""
        if prompt is None:
            return np.zeros(0, np.int64)
        if not isinstance(prompt, str):
            return np.ascontiguousarray(prompt, np.int64).reshape(-1)
        if self.tokenizer is None:
            raise InputError("the prompt is a text, but there is no tokenizer")
        ids = self.tokenizer.encode(" " + prompt.strip(),
                                    add_special=False)
        return np.array([self._previous_text, *ids], np.int64)

    def __call__(self, sound, *, language=None, task=None, timestamps=None,
                 prompt=None, condition_on_prev_tokens=False,
                 prompt_condition_type="first-segment", temperatures=None,
                 compression_ratio_threshold=None, logprob_threshold=None,
                 no_speech_threshold=None, on_segment=None, timeout=None,
                 **options):
        """A `Transcript` of a sound: samples of one channel at 16 kHz, from -1
        to 1; or the path of a WAV file of 16 bits; or a function of (at, count)
        that returns up to `count` samples from sample `at`, fewer only at the
        end. timestamps: None cuts only sounds of more than 30 s. prompt: a
        text or ids. temperatures: tried in turn until a text passes the
        thresholds. on_segment is called for each `Segment`; if it returns
        False, the call ends with Cancelled. timeout: seconds. Further arguments
        are options of the model for this call. Cancelled has the `segments`
        that were told."""
        if prompt_condition_type not in _CONDITIONS:
            raise InputError(f"prompt_condition_type: expected one of "
                             f"{', '.join(_CONDITIONS)}, got "
                             f"{prompt_condition_type!r}")
        thresholds = [None if value is None else ctypes.c_float(value)
                      for value in (compression_ratio_threshold,
                                    logprob_threshold, no_speech_threshold)]
        places = [value and ctypes.addressof(value) for value in thresholds]
        heats = np.atleast_1d(np.array(
            [0.0] if temperatures is None else temperatures, np.float32))
        ids = self._prompt(prompt)
        call = rt.Transcription(
            struct_size=ctypes.sizeof(rt.Transcription),
            language=language.encode() if language else None,
            task=task.encode() if task else None,
            timestamps={None: 0, True: 1, False: 2}[timestamps],
            prompt_ids=ids.ctypes.data if len(ids) else None,
            num_prompt_ids=len(ids),
            condition_on_prev_tokens=bool(condition_on_prev_tokens),
            prompt_condition=_CONDITIONS[prompt_condition_type],
            temperatures=heats.ctypes.data, num_temperatures=len(heats),
            compression_ratio_threshold=places[0],
            logprob_threshold=places[1], no_speech_threshold=places[2],
            timeout_ns=_nanoseconds(timeout))
        given = []
        try:
            for name, value in options.items():
                self._give(name, value)
                given.append(name)
            with _reader(sound) as read:
                return self._run(call, read, on_segment)
        finally:
            for name in given:
                self._give(name, self._set.get(name))

    def _segment(self, one):
        ids = np.zeros(one.count, np.int64)
        if one.count:
            ctypes.memmove(ids.ctypes.data, one.ids, ids.nbytes)
        text = None
        if self.tokenizer:
            words = ids if self._first_timestamp < 0 else \
                ids[ids < self._first_timestamp]
            text = self.tokenizer.decode(words)
        return Segment(one.start, one.end, ids, text, one.seek,
                       one.temperature, one.mean_logprob,
                       one.compression_ratio, one.no_speech)

    def _run(self, call, read, on_segment):
        raised, segments = [], []

        def samples(_, at, to, count):
            try:
                got = np.ascontiguousarray(read(at, count), np.float32)
                if got.ndim != 1 or len(got) > count:
                    raise InputError(f"the sound: expected up to {count} "
                                     f"samples, got {got.shape}")
                ctypes.memmove(to, got.ctypes.data, got.nbytes)
                return len(got)
            except BaseException as error:  # it goes on after the C code
                raised.append(error)
                return -1

        def told(_, segment):
            try:
                segments.append(self._segment(segment[0]))
                return on_segment is not None and \
                    on_segment(segments[-1]) is False
            except BaseException as error:  # it goes on after the C code
                raised.append(error)
                return 1
        callbacks = rt.SOUND_CALLBACK(samples), rt.SEGMENT_CALLBACK(told)
        call.read, call.on_segment = (
            ctypes.cast(callback, ctypes.c_void_p).value
            for callback in callbacks)
        with self as address:
            status = rt.transcribe(address, ctypes.byref(call))
            text = rt.text(rt.transcriber_text(address))
            language = rt.speech_language(address)
        if raised:
            raise raised[0]
        if status != 0:
            error = error_of(status, text)
            error.segments = segments
            raise error
        return Transcript(language and language.decode(), segments)

    def cancel(self):
        """Ends the current call, or the next one, with Cancelled. May be
        called from any thread."""
        with self as address:
            rt.cancel_transcriber(address)

    @property
    def memory(self):
        """The bytes of working memory; they grow only with larger calls."""
        with self as address:
            return rt.context_memory(rt.transcriber_context(address))

    def close(self):
        """Frees the transcriber's memory; refused during a call."""
        self._handle.destroy(self._address)


def transcribe(model, sound, *, tokenizer=None, **arguments):
    """Writes down one sound, as a `Transcriber` does. model: an open `Model`,
    the path of an artifact (.so), or the folder of a checkpoint, which is
    compiled once and brings its tokenizer."""
    if not isinstance(model, Model):
        path = os.fspath(model)
        if tokenizer is None and has_tokenizer(path):
            tokenizer = path
        model = load(path) if path.endswith(".so") else compile_model(path)
    return Transcriber(model, tokenizer=tokenizer)(sound, **arguments)
