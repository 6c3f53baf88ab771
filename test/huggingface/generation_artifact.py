"""Runs the entries `start`, `advance` and `result` of a compiled checkpoint
through the Python package, and reads the state `call.logits`.
"""
import ctypes
import os
import sys
from typing import NamedTuple

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "gpu"))
import device_memory
import generation_options
from generation_search import Text


class Said(NamedTuple):
    """The results of a call: its texts, the ids in the order in which
    `advance` returned them, and the logits of each step."""
    texts: list
    streamed: list
    logits: list


def package(build):
    """The Python package of a build tree."""
    path = os.path.join(build, "python")
    if path not in sys.path:
        sys.path.insert(0, path)
    import tenon
    return tenon


class Artifact:
    """An open artifact; sessions are its contexts, whose extents `room` has
    beside the rows."""

    def __init__(self, build, path, threads=1, room={}, device="cpu"):
        self.tenon = package(build)
        self.path = path
        self.model = self.tenon.load(path, threads=threads, device=device)
        self.device = device
        self.known = {tensor.name for tensor in self.model["start"].inputs}
        self.room = room

    def session(self, rows=1, positions=None, plain=False, prompts=0):
        """A context, of contrastive search if it has `prompts` for that. A
        `plain` one gives no options to its calls."""
        wanted = {"rows": rows, "items": rows, "contrast_prompts": prompts,
                  **self.room}
        if positions is not None:
            wanted["positions"] = positions
        extents = {extent.name: wanted[extent.name]
                   for extent in self.model.context_extents
                   if extent.name in wanted}
        return Session(self, self.model.context(extents=extents),
                       plain)

    def close(self):
        self.model.close()


class Session:
    """One context, in which one call follows the other."""

    def __init__(self, artifact, context, plain):
        self.artifact, self.context, self.plain = artifact, context, plain
        tenon = artifact.tenon
        self.refusals, self.cancelled = tenon.InputError, tenon.Cancelled
        self.events, self.last, self.profile = 0, None, None

    def start(self, call, keep=None, keep_encoder=False, **more):
        """Raises `refusals` if an option is refused. Without options the
        checkpoint's are in force. Some calls name every option."""
        every = call.options.seed % 3 == 0
        given = {} if self.plain else generation_options.arguments(
            call.options, self.artifact.known, every)
        if keep is not None:
            given["keep"] = keep
        given["ids"] = np.array(call.ids, np.int64)
        given["lengths"] = np.array(call.lengths, np.int64)
        given.update(call.inputs())
        # Kept columns need the encoder's results, for which no input is read.
        if call.encoder and (keep or keep_encoder):
            given.update(call.encoder[0].unreadable(call.encoder),
                         keep_encoder=np.bool_(True))
        given.update(more)
        self.rows = len(call.ids) * call.options.rows()
        self.made = self.context["start"](**given)

    def advance(self, steps, allowed=None):
        """The new ids of each row and if all rows are finished."""
        given = {} if allowed is None else {"allowed": np.array(allowed, bool)}
        made = self.context["advance"](steps=steps, **given)
        return np.array(made["ids"]), bool(made["finished"])

    def result(self):
        made = self.context["result"]()
        return [Text([int(token) for token in ids[:length]], float(score),
                     int(reason))
                for ids, length, score, reason in
                zip(made["sequences"], made["lengths"], made["scores"],
                    made["reasons"])]

    def logits(self):
        """A copy of the logits from which the last step chose, after `start`
        of those for the first step. Each row of the call has a row."""
        return self.state("call.logits")[:self.rows].copy()

    def state(self, name):
        """The memory of a float32 state, a copy of it for a device's."""
        from tenon import _runtime as rt
        find = rt._runtime.tenon_context_find_state
        find.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        tensor = rt.Tensor(struct_size=ctypes.sizeof(rt.Tensor))
        with self.context as address:
            status = find(address, name.encode(), ctypes.byref(tensor))
        assert status == 0, f"no state {name}"
        dims = (ctypes.c_int64 * tensor.rank).from_address(tensor.dims)
        count = int(np.prod(list(dims), dtype=np.int64))
        if self.artifact.device == "cpu":
            memory = (ctypes.c_float * count).from_address(tensor.data)
        else:
            memory = device_memory.read(tensor.data, 4 * count)
        return np.frombuffer(memory, np.float32).reshape(list(dims))

    def cancel_at(self, event):
        """Cancels the next run when a kernel begins or ends for the `event`th
        time, from 1 on; 0: before it starts; None: never. `events` counts."""
        from tenon import _runtime as rt
        self.events, self.last = 0, event
        if event == 0:
            self.context.cancel()
        if self.profile:
            return

        def heard(*_):
            self.events += 1
            if self.events == self.last:
                self.context.cancel()
        self.profile = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(heard)
        listen = rt._runtime.tenon_context_set_profile
        listen.argtypes = [ctypes.c_void_p] * 3
        with self.context as address:
            status = listen(address, ctypes.cast(self.profile, ctypes.c_void_p),
                            None)
        assert status == 0, "no profile"

    def close(self):
        self.context.close()


def extents_of(call):
    """The extents that a context needs for a call, by their names in
    `session`."""
    prompts = len(call.ids)
    return {"rows": prompts * call.options.rows(),
            "prompts": prompts if call.options.contrastive() else 0}


def play(session, call, steps=1, keep=None, with_logits=False, advance=None,
         keep_encoder=False):
    """Runs a call to its end. `steps` is the number for each advance;
    `advance(session, steps, allowed)` may run one in another way."""
    advance = advance or (lambda at, count, mask: at.advance(count, mask))
    session.start(call, keep, keep_encoder)
    streamed, logits, finished, made = [], [], False, 0
    first = session.logits() if with_logits else None
    while not finished:
        mask = call.allowed[made] if made < len(call.allowed) else None
        count = 1 if call.allowed else steps
        ids, finished = advance(session, count, mask)
        streamed.append(ids)
        if with_logits:
            logits.append(session.logits())
        made += count
    assert not with_logits or np.array_equal(first, logits[0])
    return Said(session.result(), streamed, logits)
