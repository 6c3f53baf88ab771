"""The language of sounds: the best token for a language after the start token
alone. The rows of a batch have different ones.

A random model prefers one language for all sounds, so biases even them out.
"""
import collections

import numpy as np

from generation_artifact import play
from generation_cases import made_logs
from generation_inputs import Sound
from generation_options import Options
from generation_scores import apart
from generation_search import Near

ROWS, BATCHES, MOST = 4, 3, 20
TRIED = 6  # sounds, for the biases
DIFFERENT = "a batch with several"


class Languages:
    def __init__(self, of):
        self.of, self.model = of, of.model
        self.special = of.model.special
        self.names = {token: name for name, token in
                      self.special.languages.items()}
        self.tokens = sorted(self.names)
        means = np.mean([self.scores(self.sound()) for _ in range(TRIED)], 0)
        self.biases = (-means).astype(np.float32)

    def sound(self):
        frames = int(self.of.random.integers(1, 3001))
        logs = made_logs(self.of.random, self.model.mels, frames)
        return Sound(logs, logs.max() + self.of.random.choice([0.0, 1.5]))

    def scores(self, sound):
        logits = self.model([(sound, (self.special.start,))])[0]
        self.model.forget_all()
        return logits[self.tokens].astype(np.float32)

    def certain(self):
        """A sound with a certain language, and its token."""
        for _ in range(100):
            sound = self.sound()
            scores = self.scores(sound) + self.biases
            order = np.argsort(-scores, kind="stable")
            try:
                apart(scores[order[0]], scores[order[1]])
            except Near:
                continue
            return sound, self.tokens[order[0]]
        raise AssertionError("no sound has a certain language")

    def call(self, sounds):
        allowed = np.zeros((ROWS, self.model.vocabulary), bool)
        allowed[:, self.tokens] = True
        options = Options(
            max_new_tokens=1, sequence_bias=self.biases.tolist(),
            sequence_bias_ids=[[token] for token in self.tokens])
        draw = self.model.draw(self.of.random, self.of.mode)
        return draw.given([[self.special.start]] * ROWS, [1] * ROWS, options,
                          sounds)._replace(allowed=(allowed,))


def check(of):
    """How many compared rows have each language."""
    languages, found = Languages(of), collections.Counter()
    session = of.artifact.session(ROWS)
    for number in range(MOST):
        sounds, tokens = zip(*[languages.certain() for _ in range(ROWS)])
        made = play(session, languages.call(sounds)).texts
        if of.that([text.ids for text in made] == [[t] for t in tokens],
                   f"languages {made}, expected {tokens}"):
            found.update(languages.names[token] for token in tokens)
            found[DIFFERENT] += len(set(tokens)) > 1
        if number >= BATCHES and len(found) > len(languages.names):
            break
    session.close()
    return found
