"""Kinds of random calls of a generation model, and the calls themselves.

A kind is what a compiler that traces would compile again for: the number of
prompts and their lengths or the length of a sound, beams, and the values of all
options. Kinds are drawn for a text model, an encoder-decoder text model and a
speech model."""
import collections

import numpy as np

Kind = collections.namedtuple("Kind", "lengths options")


class Draw:
    def __init__(self, seed, vocabulary):
        self.random = np.random.default_rng(seed)
        self.vocabulary = vocabulary

    def between(self, least, most):
        return int(self.random.integers(least, most + 1))

    def ids(self, count):
        return self.random.integers(0, self.vocabulary, count).tolist()

    def maybe(self, value, otherwise):
        """An option that is on in one call of three."""
        return value() if self.random.random() < 1 / 3 else otherwise

    def options(self):
        """Those that every model and strategy has."""
        random, maybe = self.random, self.maybe
        return dict(
            seed=self.between(0, 1 << 40),
            max_new_tokens=self.between(4, 12),
            min_new_tokens=self.between(0, 3),
            top_k=maybe(lambda: self.between(5, 100), 0),
            top_p=maybe(lambda: random.uniform(0.5, 1), 1.0),
            min_p=maybe(lambda: random.uniform(0, 0.01), 0.0),
            typical_p=maybe(lambda: random.uniform(0.5, 1), 1.0),
            epsilon_cutoff=maybe(lambda: random.uniform(0, 1e-5), 0.0),
            eta_cutoff=maybe(lambda: random.uniform(0, 1e-5), 0.0),
            repetition_penalty=maybe(lambda: random.uniform(0.8, 1.5), 1.0),
            no_repeat_ngram_size=maybe(lambda: self.between(2, 4), 0),
            length_penalty=maybe(lambda: random.uniform(-1, 2), 1.0),
            early_stopping=self.between(0, 2),
            bad_words_ids=maybe(lambda: [self.ids(self.between(1, 3))
                                         for _ in range(3)], []),
            suppress_tokens=maybe(lambda: self.ids(5), []),
            renormalize_logits=bool(self.between(0, 1)))


class TextCalls:
    """Prompts of a decoder."""
    strategies = {"greedy": {}, "sampling": {"do_sample": True},
                  "beams": {"num_beams": 4},
                  "beam sampling": {"num_beams": 4, "do_sample": True}}
    most_tokens = 60

    def __init__(self, tenon, model, vocabulary, seed):
        self.generator = tenon.Generator(model)
        self.draw = Draw(seed, vocabulary)

    def kind(self, strategy):
        draw = self.draw
        options = dict(draw.options(), **self.strategies[strategy],
                       temperature=draw.random.uniform(0.5, 2),
                       output_scores=bool(draw.between(0, 1)),
                       # Texts that end early would take another time.
                       eos_token_id=[])
        if "num_beams" in options:
            options["num_beams"] = draw.between(2, 4)
        most = options.get("num_beams", 4 if options.get("do_sample") else 1)
        options["num_return_sequences"] = draw.between(1, most)
        return Kind([draw.between(1, self.most_tokens)
                     for _ in range(draw.between(1, 4))], options)

    def largest(self):
        return Kind([self.most_tokens] * 4,
                    {"num_beams": 4, "num_return_sequences": 4,
                     "max_new_tokens": 12, "output_scores": True})

    def call(self, kind):
        """A function that makes one call. Its tokens are new, so that nothing
        of an earlier call can be kept."""
        prompts = [self.draw.ids(length) for length in kind.lengths]
        return lambda: self.generator(prompts, **kind.options)

    @property
    def memory(self):
        return self.generator.memory


class EncodedTextCalls(TextCalls):
    """Texts that an encoder reads."""
    most_tokens = 512

    def kind(self, strategy):
        kind, draw = super().kind(strategy), self.draw
        kind.options.update(
            encoder_repetition_penalty=draw.maybe(
                lambda: draw.random.uniform(0.8, 1.5), 1.0),
            encoder_no_repeat_ngram_size=draw.maybe(
                lambda: draw.between(2, 4), 0))
        return kind


class SpeechCalls:
    """Sounds of noise. Both calls of a kind get the same sound, for its text
    decides how many windows are computed; a transcriber keeps nothing of the
    call before."""
    strategies = {"greedy": {}, "sampling": {"temperatures": [0.8]},
                  "beams": {"num_beams": 4}}
    rate, most_seconds, most_prompt = 16000, 90, 223

    def __init__(self, tenon, model, vocabulary, seed):
        self.transcriber = tenon.Transcriber(model)
        self.draw = Draw(seed, vocabulary)
        self.noise = self.draw.random.standard_normal(
            self.rate * self.most_seconds, np.float32) * np.float32(0.1)

    def kind(self, strategy):
        draw = self.draw
        # As many sounds from 0.1 to 1 s as from 9 to 90 s.
        seconds = 10 ** draw.random.uniform(-1, np.log10(self.most_seconds))
        options = dict(
            draw.options(), **self.strategies[strategy],
            language=draw.maybe(lambda: "en", None),
            task=draw.maybe(lambda: "translate", None),
            timestamps=True if seconds > 30 else bool(draw.between(0, 1)),
            prompt=draw.maybe(lambda: draw.ids(draw.between(1, 50)), None),
            condition_on_prev_tokens=bool(draw.between(0, 1)),
            no_speech_threshold=draw.maybe(lambda: 0.6, None),
            compression_ratio_threshold=draw.maybe(lambda: 2.4, None))
        if "num_beams" in options:
            options["num_beams"] = draw.between(2, 4)
        return Kind([int(seconds * self.rate)], options)

    def largest(self):
        """With as many tokens before those of a window as there can be."""
        return Kind([self.rate * self.most_seconds],
                    {"num_beams": 4, "max_new_tokens": 12, "timestamps": True,
                     "prompt": self.draw.ids(self.most_prompt)})

    def call(self, kind):
        samples = self.noise[:kind.lengths[0]]
        return lambda: self.transcriber(samples, **kind.options)

    @property
    def memory(self):
        return self.transcriber.memory


OF_TYPE = {"gpt2": TextCalls, "t5": EncodedTextCalls, "whisper": SpeechCalls}
