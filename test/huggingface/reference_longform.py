"""Speech to text of sound of any length: first tokens, language, windows,
temperatures, conditioning on earlier text and segments, as Transformers' PyTorch
code has them.

`transcribe` takes samples at 16 kHz. It raises Near where a decision is not
certain.
"""
import math
import zlib
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

import generation_scores as scores_of
import generation_search as search
import reference_logmel as logmel
from generation_inputs import Sound
from generation_options import Options
from generation_scores import apart

FRAME = 0.01  # seconds
MARK = 0.02   # seconds between two timestamps
FRAMES_PER_MARK = 2


class Refused(Exception):
    """Settings that a model does not have."""


@dataclass
class Settings:
    language: str = None
    task: str = None
    timestamps: bool = True
    options: Options = field(default_factory=Options)
    prompt: list = field(default_factory=list)  # begins with its start token
    condition: bool = False       # on the text of earlier windows
    prompt_everywhere: bool = False
    temperatures: tuple = (0.0,)
    compression: float = None     # thresholds; None: no test
    log_probability: float = None
    no_speech: float = None


class Segment(NamedTuple):
    start: float
    end: float
    ids: list


class Judged(NamedTuple):
    """What is known of a window's text; None: not measured."""
    again: bool = False  # the next temperature shall be tried
    skips: bool = False  # the window
    ratio: float = None
    mean: float = None
    silence: float = None


class Result(NamedTuple):
    language: int   # the token, or None
    segments: list
    temperatures: list  # of each window
    seeks: list         # frames at which windows begin
    judged: list = ()   # for each window


def first_tokens(special, settings, detect):
    """`detect()` is the token of the sound's language."""
    language, task = settings.language, settings.task
    if (language or task) and not special.multilingual:
        raise Refused("an English-only model has no language and no task")
    tokens = [special.start]
    if not language and not task:
        for place, (position, token) in enumerate(special.forced, 1):
            if position != place:
                raise Refused("forced_decoder_ids have a gap")
            tokens.append(token)
    found = None
    if language:
        found = special.languages[f"<|{language}|>"]
    elif special.languages and (len(tokens) == 1 or tokens[1] is None):
        found = detect()
    if found is not None:
        tokens[1:2] = [found]
    if task:
        tokens.append(special.tasks[task])
    elif language and not set(tokens) & set(special.tasks.values()):
        tokens.append(special.tasks["transcribe"])
    mark = special.no_timestamps
    if mark is not None:
        if not settings.timestamps and tokens[-1] != mark:
            tokens.append(mark)
        elif settings.timestamps and tokens[-1] == mark:
            tokens.pop()
    return [token for token in tokens if token is not None], found


def detected(model, sound):
    """The language token after the start token."""
    tokens = sorted(model.special.languages.values())
    scores = model([(sound, (model.special.start,))])[0][tokens]
    order = np.argsort(-scores, kind="stable")
    if len(order) > 1:
        apart(scores[order[0]], scores[order[1]])
    return tokens[order[0]]


class Transcription:
    def __init__(self, model, samples, settings):
        self.model, self.settings = model, settings
        self.special = model.special
        self.logs = logmel.log_mel(logmel.padded(samples), model.mels)
        self.greatest = self.logs.max()
        self.frames = self.logs.shape[1]
        self.first, self.language = first_tokens(
            self.special, settings,
            lambda: detected(model, self.window(0)))
        self.conditions = settings.condition
        self.segments = []
        # Texts before the next window.
        self.earlier = []
        if settings.prompt and not settings.prompt_everywhere:
            begins = settings.prompt[0] == self.special.previous
            self.earlier.append(settings.prompt[begins:])

    def window(self, seek):
        return Sound(self.logs[:, seek:seek + logmel.FRAMES], self.greatest)

    def prompt(self):
        """What stands before the next window's text."""
        given = self.settings.prompt
        if self.conditions and self.earlier:
            begin = given if given and self.settings.prompt_everywhere else \
                [self.special.previous]
            text = [token for ids in self.earlier for token in self.kept(ids)]
            most = self.model.checkpoint.get("max_target_positions") // 2 - 1
            return begin + text[-most:] + self.first
        return given + self.first

    def kept(self, ids):
        """A segment without the second of two timestamps at its end."""
        if self.special.no_timestamps is None or len(ids) <= 2:
            return ids
        return ids[:-1] if ids[-2] >= self.special.first_timestamp() else ids

    def call(self, seek, temperature):
        o = self.settings.options.with_(
            eos_token_id=[self.special.end], pad_token_id=self.special.end,
            timestamps=self.settings.timestamps)
        if temperature > 0:
            o = o.with_(do_sample=True, temperature=temperature, num_beams=1)
        ids = self.prompt()
        return search.Call([ids], [len(ids)], o, "hf-pt",
                           self.model.checkpoint.get("max_target_positions"),
                           encoder=(self.window(seek),), special=self.special)

    def run(self):
        seek, temperatures, seeks, all_judged = 0, [], [], []
        while seek < self.frames:
            width = min(logmel.FRAMES, self.frames - seek)
            seeks.append(seek)
            ids, temperature, judged = self.tried(seek)
            temperatures.append(temperature)
            all_judged.append(judged)
            self.conditions = self.settings.condition and temperature < 0.5
            if judged.skips:
                seek += width
                continue
            made, moved = segments(ids, width, self.special.first_timestamp()) \
                if self.settings.timestamps else one_segment(ids, width)
            for start, end, part in made:
                self.segments.append(Segment(
                    seek * FRAME + start * MARK, seek * FRAME + end * MARK,
                    part))
                self.earlier.append(part)
            seek += moved
            if not self.settings.timestamps:
                break
        return Result(self.language, self.segments, temperatures, seeks,
                      all_judged)

    def tried(self, seek):
        """The ids of a window, their temperature, and what is known of them."""
        for temperature in self.settings.temperatures:
            call = self.call(seek, temperature)
            ids = search.texts(call, self.model)[0].ids
            judged = self.judged(call, ids, temperature)
            if not judged.again:
                break
        end = ids and ids[-1] == self.special.end
        return ids[:-1] if end else ids, temperature, judged

    def judged(self, call, ids, temperature):
        s, again, unlikely, ratio, mean = self.settings, False, False, None, None
        if s.compression is not None:
            ratio = compression_ratio(ids, self.model.vocabulary)
            again = ratio > s.compression
        if s.log_probability is not None:
            mean = mean_log_probability(self.model, call, ids, temperature)
            apart(max(mean, s.log_probability), min(mean, s.log_probability))
            unlikely = mean < s.log_probability
        if not unlikely or s.no_speech is None:
            return Judged(again or unlikely, False, ratio, mean)
        silence = no_speech(self.model, call)
        apart(max(silence, s.no_speech), min(silence, s.no_speech))
        return Judged(silence <= s.no_speech, silence > s.no_speech, ratio,
                      mean, silence)


def compression_ratio(ids, vocabulary):
    width = int(math.log2(vocabulary) / 8) + 1
    data = b"".join(token.to_bytes(width, "little") for token in ids)
    return len(data) / len(zlib.compress(data))


def mean_log_probability(model, call, ids, temperature):
    total = 0.0
    for step, token in enumerate(ids):
        before = call.ids[0] + ids[:step]
        raw = model([call.key(0, before)])[0]
        if call.options.num_beams > 1:
            raw = scores_of.log_softmax(raw)
        scores = scores_of.processed(call.options, call.row(0, before), raw,
                                     call.mode)
        total += float(scores_of.log_softmax(
            scores * np.float32(temperature or 1))[token])
    return total / len(ids)


def no_speech(model, call):
    """The probability at the start token; 0 if the model does not say which
    token it is that of."""
    if model.special.no_timestamps is None:
        return 0.0
    ids = call.ids[0]
    place = len(ids) - 1 - ids[::-1].index(model.special.start)
    logits = model([call.key(0, ids[:place + 1])])[0]
    return float(scores_of.softmax(logits)[model.special.no_speech()])


def one_segment(ids, width):
    return [(0, width // FRAMES_PER_MARK, ids)], width


def segments(ids, width, first):
    """The segments of a window of `width` frames, as (start, end, ids) with
    times in timestamps, and by how many frames the next window is later."""
    marks = [token >= first for token in ids]
    pairs = [i + 1 for i in range(len(ids) - 1) if marks[i] and marks[i + 1]]
    silent_end = marks[-2:] == [False, True]
    if not pairs:
        times = [token - first for token in ids if token >= first]
        if times and times[-1] != 0:
            return [(0, times[-1], ids)], width
        return one_segment(ids, width)
    cuts = pairs + [len(ids)] if silent_end else \
        pairs[:-1] + [pairs[-1] + 1]
    made = []
    for begin, cut in zip([0] + cuts, cuts):
        part = ids[begin:cut]
        last = part[-1] if silent_end or cut != cuts[-1] else part[-2]
        made.append((part[0] - first, last - first, part))
    if silent_end:
        return made, width
    return made, FRAMES_PER_MARK * (ids[cuts[-1] - 2] - first)


def transcribe(model, samples, settings):
    return Transcription(model, samples, settings).run()
