"""Tests text generation with a model that makes one cycle of ids."""
import os
import threading
import unittest

import models
import numpy as np
import tenon

CHAIN = os.path.join(models.SOURCE, "examples/story/story.mlir")
TOKENIZER = os.path.join(models.SOURCE, "examples/story")


def chain(after, count):
    """The ids after a prompt of this sum."""
    ids = []
    for _ in range(count):
        after = (5 * after + 1) % 64
        ids.append(after)
    return ids


class Generate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = tenon.compile(CHAIN)

    def test_ids(self):
        generator = tenon.Generator(self.model)
        one, = generator([1, 2, 3], max_new_tokens=4)
        self.assertEqual(one.ids.tolist(), chain(6, 4))
        self.assertEqual(one.ids.dtype, np.int64)
        self.assertEqual((one.score, one.reason, one.text),
                         (-4.0, "length", None))
        # Options of a call are gone after it.
        self.assertEqual(generator(np.array([4]))[0].reason, "eos")

    def test_encoder(self):
        """The encoder's sum counts three times, the decoder begins at 7."""
        relay = tenon.compile(os.path.join(models.SOURCE,
                                           "test/generate/relay.mlir"))
        generator = tenon.Generator(relay)
        one, = generator([1, 2, 3], max_new_tokens=3)
        self.assertEqual(one.ids.tolist(), [25, 26, 27])
        made = generator([[1, 2, 3], [4]], decoder_prompts=[[8], [1, 2]],
                         max_new_tokens=2)
        self.assertEqual([m.ids.tolist() for m in made], [[26, 27], [15, 16]])
        with self.assertRaises(tenon.InputError):
            generator([[1], [2]], decoder_prompts=[[3]])

    def test_batches(self):
        generator = tenon.Generator(self.model, tokenizer=TOKENIZER)
        texts = generator(["Q", "a"], max_new_tokens=3)
        self.assertEqual([each.text for each in texts], ["Once upon a", "bcd"])
        made = generator([[1], [4, 4]], num_return_sequences=2,
                         max_new_tokens=3)
        self.assertEqual([each.ids.tolist() for each in made],
                         [chain(1, 3), chain(2, 3), chain(8, 3), chain(9, 3)])

    def test_texts(self):
        found, = tenon.generate(self.model, "Q", tokenizer=TOKENIZER,
                                max_new_tokens=18)
        self.assertEqual(found.text, "Once upon a time, Grüße aus 日本: ST")
        with self.assertRaisesRegex(tenon.InputError, "no tokenizer"):
            tenon.generate(self.model, "Q")

    def test_masks(self):
        generator = tenon.Generator(self.model)
        asked = []

        def allow(sequence, step):
            asked.append((sequence, step))
            return [[20, 21], None, np.arange(64) == 9][step]
        one, = generator([1], max_new_tokens=3, allow=allow)
        self.assertEqual(one.ids.tolist(), [20, 37, 9])
        self.assertEqual(asked, [(0, 0), (0, 1), (0, 2)])
        one, = generator([1], max_new_tokens=3)
        self.assertEqual(one.ids.tolist(), chain(1, 3))
        for wrong in ([64], [-1], [1.5], np.ones(63, bool)):
            with self.assertRaisesRegex(tenon.InputError, "allow: expected"):
                generator([1], allow=lambda *_: wrong)
        with self.assertRaisesRegex(tenon.InputError, "allows no token"):
            generator([1], allow=lambda *_: [])
        with self.assertRaises(ZeroDivisionError):
            generator([1], allow=lambda *_: 1 / 0)
        # The cancellation by which it ended is gone.
        self.assertEqual(generator([1], max_new_tokens=3)[0].ids.tolist(),
                         chain(1, 3))

    def test_memory(self):
        generator = tenon.Generator(self.model)
        self.assertEqual(generator.memory, 0)
        generator([1, 2], max_new_tokens=2000)
        memory = generator.memory
        self.assertGreater(memory, 2000)
        generator([1], max_new_tokens=10)
        self.assertEqual(generator.memory, memory)

    def test_options(self):
        generator = tenon.Generator(self.model)
        generator.set(max_new_tokens=2, temperature=0.5, eos_token_id=[])
        one, = generator([0], bad_words_ids=[[1], [5, 31]])
        self.assertEqual((one.ids.tolist(), one.score), ([6, 28], -1.0))
        one, = generator([0], bad_words_ids=[], eos_token_id=1)
        self.assertEqual((one.ids.tolist(), one.reason), ([1], "eos"))
        generator.set(max_new_tokens=None)
        one, = generator([4], do_sample=True, seed=2, eos_token_id=None,
                         max_new_tokens=2)
        self.assertEqual(one.ids.tolist(), [29, 26])
        # The default is in force again.
        self.assertEqual(len(generator([4])[0].ids), 20)

    def test_mistakes(self):
        generator = tenon.Generator(self.model)
        for wrong, text in [
                ({"temprature": 1}, 'option "temprature": the model has no'),
                ({"temperature": "warm"}, "expected values of f32"),
                ({"temperature": 0}, "expected 1e-06 to 1e.06, got 0"),
                ({"max_new_tokens": 0}, "expected at least 1, got 0"),
                ({"seed": 1.5}, "expected values of i64"),
                ({"ids": 1}, 'option "ids": the model has no such option')]:
            with self.assertRaisesRegex(tenon.InputError, text):
                generator([1], **wrong)
        for wrong, text in [([], "no prompt is given"),
                            ([[1], []], "prompt 1 has no ids"),
                            ([64], "index 64 is not allowed")]:
            with self.assertRaisesRegex(tenon.InputError, text):
                generator(wrong)
        self.assertEqual(generator([1], max_new_tokens=1)[0].ids.tolist(), [6])
        stateful = tenon.compile(os.path.join(
            models.SOURCE, "lit/artifact/Inputs/stateful.mlir"))
        with self.assertRaisesRegex(tenon.UnsupportedError, '"start"'):
            tenon.Generator(stateful)

    def test_callback(self):
        generator = tenon.Generator(self.model)
        told = []

        def note(sequence, token):
            told.append((sequence, token))
            return len(told) < 3
        one, = generator([1], on_token=note)
        self.assertEqual(told, [(0, token) for token in chain(1, 3)])
        self.assertEqual((one.ids.tolist(), one.reason),
                         (chain(1, 3), "stopped"))

        def fail(sequence, token):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            generator([1], on_token=fail)

    def test_cancelled(self):
        generator = tenon.Generator(self.model)
        with self.assertRaises(tenon.Cancelled) as caught:
            generator([1], on_token=lambda *_: generator.cancel())
        one, = caught.exception.sequences
        self.assertEqual((one.ids.tolist(), one.reason), ([6], "cancelled"))
        with self.assertRaisesRegex(tenon.Cancelled, "past the deadline"):
            generator([1], timeout=1e-9)

    def test_keeps_what_it_computed(self):
        generator = tenon.Generator(self.model, positions=100)
        generator.set(max_new_tokens=4)
        first, = generator([5, 6])
        more = [5, 6, *first.ids, 7]
        self.assertEqual(generator(more)[0].ids.tolist(), chain(sum(more), 4))
        self.assertEqual(generator.kept, 5)

    def test_ends_with_the_model(self):
        model = tenon.load(self.model.path)
        generator = tenon.Generator(model)
        generator([1])

        def close(*_):
            with self.assertRaisesRegex(tenon.InputError, "in use"):
                model.close()
            with self.assertRaisesRegex(tenon.InputError, "in use"):
                generator.close()
        generator([1], on_token=close)
        model.close()
        with self.assertRaisesRegex(tenon.InputError, "closed"):
            generator([1])

    def test_threads_have_generators(self):
        made = {}

        def run(start):
            generator = tenon.Generator(self.model)
            made[start] = generator([start], max_new_tokens=300,
                                    eos_token_id=[])[0].ids.tolist()
        threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for start in range(4):
            self.assertEqual(made[start], chain(start, 300))


class Tokenizers(unittest.TestCase):
    def test_both_ways(self):
        tokenizer = tenon.Tokenizer(TOKENIZER)
        self.assertEqual(tokenizer.encode("Qab"), [0, 40, 9])
        self.assertEqual(tokenizer.decode([0, 40, 9]), "Qab")
        self.assertEqual(tokenizer.decode([]), "")
        for wrong in (-1, 1 << 33):
            with self.assertRaises(ValueError):
                tokenizer.decode([3, wrong])
        with self.assertRaises(tenon.FileError):
            tenon.Tokenizer("/no/such/folder")


if __name__ == "__main__":
    unittest.main()
