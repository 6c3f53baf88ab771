"""Text generation, by libtenon_generate: prompts in, sequences out."""
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

_REASONS = {0: "cancelled", 1: "eos", 2: "length", 3: "stopped"}
_GO_ON, _STOP_SEQUENCE, _STOP_ALL = 0, 1, 2


class GeneratedSequence(NamedTuple):
    """The new ids after one prompt."""
    ids: np.ndarray  # i64, without the prompt
    score: float
    reason: str  # "eos", "length", "stopped" or "cancelled"
    text: str = None  # None without a tokenizer


def _fill_mask(mask, allowed):
    """Allows tokens in `mask`, an array of a byte for each: those of a list of
    ids, or of an array of bools."""
    allowed = np.asarray(allowed)
    if allowed.dtype == bool:
        if allowed.shape != mask.shape:
            raise InputError(f"allow: expected {len(mask)} bools, got "
                             f"{allowed.size}")
        mask[:] = allowed
        return
    ids = allowed.astype(np.int64).reshape(-1)
    wrong = ids[(ids < 0) | (ids >= len(mask))]
    if len(wrong) or (ids != allowed.reshape(-1)).any():
        raise InputError(f"allow: expected ids below {len(mask)}, got "
                         f"{wrong[0] if len(wrong) else allowed}")
    mask[ids] = 1


class Generator:
    """Continues prompts with one model. It serves one call at a time, and
    keeps what it computed: a prompt that continues the last call's text is
    computed from there on."""

    def __init__(self, model, *, tokenizer=None, memory_limit=0, rows=0,
                 positions=0):
        """model: an open `Model` with the entries of generation. tokenizer: a
        `Tokenizer`, or the path of one, for prompts that are texts.
        memory_limit: bytes of working memory. rows, positions: least sizes of
        the context, for calls that grow."""
        if isinstance(tokenizer, (str, os.PathLike)):
            tokenizer = Tokenizer(tokenizer)
        self.model, self.tokenizer = model, tokenizer
        said = ctypes.create_string_buffer(_ERROR_BYTES)
        options = rt.GeneratorOptions(
            struct_size=ctypes.sizeof(rt.GeneratorOptions),
            error_text=ctypes.addressof(said), error_text_bytes=_ERROR_BYTES,
            memory_limit=memory_limit, rows=rows, positions=positions)
        self._handle = model._handle
        status, self._address = self._handle.create(
            options, rt.create_generator, rt.destroy_generator)
        if status != 0:
            raise error_of(status, rt.text(said.value))
        weakref.finalize(self, self._handle.destroy, self._address)
        self._known = {tensor.name: tensor
                       for tensor in model["start"].inputs}
        self._set = {}

    def __enter__(self):
        self._handle.enter(self._address)
        return self._address

    def __exit__(self, *_):
        self._handle.leave(self._address)

    def _check(self, status):
        if status != 0:
            raise error_of(status, rt.text(rt.generator_text(self._address)))

    def set(self, **options):
        """Sets options of all later calls; None gives an option the model's
        default again."""
        for name, value in options.items():
            self._give(name, value)
            self._set[name] = value

    def _give(self, name, value):
        with self as address:
            if value is None:
                self._check(rt.unset_option(address, name.encode()))
                return
            tensor, kept = option_tensor(name, value, self._known)
            self._check(rt.set_option(address, ctypes.byref(tensor)))
            del kept

    def _ids(self, prompt):
        if not isinstance(prompt, str):
            return np.ascontiguousarray(prompt, np.int64).reshape(-1)
        if self.tokenizer is None:
            raise InputError("a prompt is a text, but there is no tokenizer")
        return np.array(self.tokenizer.encode(prompt), np.int64)

    def _arrays(self, prompts):
        """The ids of one prompt or of a list of prompts."""
        if isinstance(prompts, str):
            return [self._ids(prompts)]
        prompts = list(prompts)
        if prompts and not isinstance(prompts[0], str) and \
                np.ndim(prompts[0]) == 0:
            return [self._ids(prompts)]
        return [self._ids(prompt) for prompt in prompts]

    def __call__(self, prompts, *, on_token=None, allow=None, timeout=None,
                 decoder_prompts=None, **options):
        """The sequences of prompts: a text, ids, or a list of texts or of ids.
        The result has all sequences of the first prompt, then those of the
        next one. on_token(sequence, id) is called for each new id; if it
        returns False, the sequence ends. allow(sequence, step) is called
        before each step; it returns the ids that may come next, or a bool for
        each token, or None for all. In beam search it is called for each
        prompt. timeout: seconds. decoder_prompts: in a model with an encoder,
        which reads the prompts, what each text continues; else it begins after
        decoder_start_token_id. Further arguments are options of the model for
        this call. Cancelled has the `sequences` that were begun."""
        arrays = self._arrays(prompts)
        decoder = None if decoder_prompts is None else \
            self._arrays(decoder_prompts)
        if decoder is not None and len(decoder) != len(arrays):
            raise InputError(f"decoder_prompts: expected {len(arrays)}, got "
                             f"{len(decoder)}")
        given = []
        try:
            for name, value in options.items():
                self._give(name, value)
                given.append(name)
            return self._run(arrays, decoder, on_token, allow, timeout)
        finally:
            for name in given:
                self._give(name, self._set.get(name))

    @staticmethod
    def _prompts(arrays):
        return (rt.Prompt * max(1, len(arrays)))(*(
            rt.Prompt(ids=array.ctypes.data, count=len(array))
            for array in arrays))

    def _run(self, arrays, decoder, on_token, allow, timeout):
        given = self._prompts(arrays)
        continued = None if decoder is None else self._prompts(decoder)
        raised = []

        def told(_, sequence, number):
            try:
                return _STOP_SEQUENCE if on_token(sequence, number) is False \
                    else _GO_ON
            except BaseException as error:  # it goes on after the C code
                raised.append(error)
                return _STOP_ALL

        def masked(_, sequence, step, mask, vocabulary):
            try:
                allowed = allow(sequence, step)
                if allowed is None:
                    return 0
                _fill_mask(np.ctypeslib.as_array(
                    (ctypes.c_uint8 * vocabulary).from_address(mask)), allowed)
                return 1
            except BaseException as error:  # it goes on after the C code
                raised.append(error)
                rt.cancel_generator(self._address)
                return 0
        callback = rt.TOKEN_CALLBACK(told) if on_token else None
        masks = rt.ALLOW_CALLBACK(masked) if allow else None
        call = rt.Generation(
            struct_size=ctypes.sizeof(rt.Generation),
            prompts=ctypes.addressof(given), num_prompts=len(arrays),
            on_token=ctypes.cast(callback, ctypes.c_void_p) if callback
            else None, timeout_ns=_nanoseconds(timeout),
            allow=ctypes.cast(masks, ctypes.c_void_p) if masks else None,
            decoder_prompts=ctypes.addressof(continued) if decoder else None)
        with self as address:
            status = rt.generate(address, ctypes.byref(call))
            text = rt.text(rt.generator_text(address))
            sequences = self._sequences(address)
        if raised:
            raise raised[0]
        if status != 0:
            error = error_of(status, text)
            error.sequences = sequences
            raise error
        return sequences

    def _sequences(self, address):
        made = []
        for i in range(rt.count_sequences(address)):
            one = rt.Sequence()
            rt.get_sequence(address, i, ctypes.byref(one))
            ids = np.zeros(one.count, np.int64)
            if one.count:
                ctypes.memmove(ids.ctypes.data, one.ids, ids.nbytes)
            text = self.tokenizer.decode(ids) if self.tokenizer else None
            made.append(GeneratedSequence(ids, one.score, _REASONS[one.reason],
                                          text))
        return made

    def cancel(self):
        """Ends the current call, or the next one, with Cancelled. May be
        called from any thread."""
        with self as address:
            rt.cancel_generator(address)

    @property
    def kept(self):
        """The columns of the last call's prompts that were not computed
        again."""
        with self as address:
            return rt.kept_columns(address)

    @property
    def memory(self):
        """The bytes of working memory; they grow only with larger calls."""
        with self as address:
            return rt.context_memory(rt.generator_context(address))

    def close(self):
        """Frees the generator's memory; refused during a call."""
        self._handle.destroy(self._address)


def generate(model, prompts, *, tokenizer=None, on_token=None, allow=None,
             timeout=None, **options):
    """Continues prompts once, as a `Generator` does. model: an open `Model`,
    the path of an artifact (.so), or the folder of a checkpoint, which is
    compiled once and brings its tokenizer."""
    if not isinstance(model, Model):
        path = os.fspath(model)
        if tokenizer is None and has_tokenizer(path):
            tokenizer = path
        model = load(path) if path.endswith(".so") else compile_model(path)
    return Generator(model, tokenizer=tokenizer)(
        prompts, on_token=on_token, allow=allow, timeout=timeout, **options)
