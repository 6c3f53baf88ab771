"""Tests speech to text with a model whose sound spells the ids."""
import math
import os
import tempfile
import threading
import unittest
import wave

import models
import numpy as np
import tenon

DICTATION = os.path.join(models.SOURCE, "examples/dictation/dictation.mlir")
FOLDER = os.path.join(models.SOURCE, "examples/dictation")
FRENCH, ENGLISH = 44, 42


def sound(seconds=1, language=FRENCH, **windows):
    """Samples; the window at frame N says the ids wN, or with sampling sN."""
    samples = np.zeros(int(16000 * seconds), np.float32)
    samples[40] = language / 2048
    for name, ids in windows.items():
        for i, each in enumerate(ids):
            at = 160 * (int(name[1:]) + 1 + i) + 40 * (name[0] == "s")
            samples[at] = each / 2048
    return samples


class Transcribe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = tenon.compile(DICTATION)

    def ids(self, transcriber, samples, **arguments):
        found = transcriber(samples, **arguments)
        return [segment.ids.tolist() for segment in found.segments]

    def test_text(self):
        found = tenon.transcribe(self.model, os.path.join(FOLDER, "hello.wav"),
                                 tokenizer=FOLDER)
        self.assertEqual(found.text,
                         "the quick brown fox jumps over the lazy dog.")
        self.assertEqual(found.language, "en")

    def test_segments(self):
        transcriber = tenon.Transcriber(self.model, tokenizer=FOLDER)
        samples = sound(70, w0=[50, 30, 31, 550, 600, 32, 1125, 1125, 5],
                        w2150=[100, 33, 350])
        told = []
        found = transcriber(samples, on_segment=told.append)
        self.assertEqual(
            [(each.start, each.end, each.text, each.seek)
             for each in found.segments],
            [(0, 10, " the quick", 0), (11, 21.5, " brown", 0),
             (21.5, 27.5, " fox", 2150), (51.5, 70, "", 5150)])
        self.assertEqual(len(told), 4)
        self.assertEqual(found.segments[1].ids.tolist(),
                         [600, 32, 1125, 1125])
        self.assertEqual(found.segments[1].ids.dtype, np.int64)
        self.assertTrue(math.isnan(found.segments[0].mean_logprob))
        # The same from a function.
        again = transcriber(lambda at, count: samples[at:at + count])
        self.assertEqual([each.text for each in again.segments],
                         [each.text for each in found.segments])

    def test_first_ids(self):
        transcriber = tenon.Transcriber(self.model, tokenizer=FOLDER)
        samples = sound(w0=[1603, 1602, 1601, 1600])
        self.assertEqual(self.ids(transcriber, samples), [[41, 44, 46, 49]])
        self.assertEqual(
            self.ids(transcriber, samples, language="german", task="translate"),
            [[41, 43, 45, 49]])
        samples = sound(w0=[1606, 1605, 1604, 1603])
        for prompt in ("the", [47, 27, 20, 8, 5]):
            self.assertEqual(self.ids(transcriber, samples, prompt=prompt),
                             [[20, 8, 5, 41]])
        with self.assertRaisesRegex(tenon.InputError, "no tokenizer"):
            tenon.Transcriber(self.model)(samples, prompt="the")

    def test_earlier_text(self):
        transcriber = tenon.Transcriber(self.model)
        samples = sound(40, w0=[50, 1, 1050, 1050], w2000=[1605, 1604, 1603])
        for condition, ids in ((True, [50, 1, 1050]), (False, [41, 41, 41])):
            self.assertEqual(
                self.ids(transcriber, samples,
                         condition_on_prev_tokens=condition)[1], ids)
        with self.assertRaisesRegex(tenon.InputError, "all segments"):
            transcriber(samples, prompt_condition_type="all-segments")
        with self.assertRaisesRegex(tenon.InputError, "first-segment"):
            transcriber(samples, prompt_condition_type="none")

    def test_fallback(self):
        transcriber = tenon.Transcriber(self.model)
        samples = sound(w0=[1, 2], s0=[3, 4])
        for frame in (1, 2, 3):
            samples[160 * frame + 80] = 1.25 * 256 / 2048
        found, = transcriber(samples, temperatures=[0, 0.25],
                             logprob_threshold=-1, no_speech_threshold=0.5,
                             compression_ratio_threshold=9).segments
        self.assertEqual((found.ids.tolist(), found.temperature), ([3, 4], 0.25))
        self.assertAlmostEqual(found.mean_logprob, -0.9375)
        self.assertEqual(found.no_speech, 0)
        self.assertGreater(found.compression_ratio, 0)

    def test_options(self):
        transcriber = tenon.Transcriber(self.model)
        samples = sound(w0=[1, 2, 3])
        self.assertEqual(self.ids(transcriber, samples, max_new_tokens=2),
                         [[1, 2]])
        self.assertEqual(self.ids(transcriber, samples), [[1, 2, 3]])
        transcriber.set(max_new_tokens=1)
        self.assertEqual(self.ids(transcriber, samples), [[1]])
        transcriber.set(max_new_tokens=None)
        self.assertEqual(self.ids(transcriber, samples), [[1, 2, 3]])
        with self.assertRaisesRegex(tenon.InputError, "sets it itself"):
            transcriber(samples, do_sample=True)

    def test_memory(self):
        transcriber = tenon.Transcriber(self.model)
        self.assertEqual(transcriber.memory, 0)
        # A window between two others is the largest: it has samples of both.
        transcriber(sound(70, w0=[1], w3000=[2]))
        memory = transcriber.memory
        self.assertGreater(memory, 2000)
        for seconds in (1, 30, 71, 200):
            transcriber(sound(seconds, w0=[1]))
            self.assertEqual(transcriber.memory, memory)

    def test_bad_sounds(self):
        transcriber = tenon.Transcriber(self.model)
        for wrong, said in ((np.zeros(0), "no samples"),
                            (np.full(9, np.nan), "no finite number"),
                            (np.zeros((2, 9)), "one channel"),
                            (lambda at, count: np.zeros(count + 1),
                             "expected up to")):
            with self.assertRaisesRegex(tenon.InputError, said):
                transcriber(wrong)
        with self.assertRaises(ZeroDivisionError):
            transcriber(lambda at, count: 1 / 0)
        with self.assertRaisesRegex(tenon.InputError, "30 s"):
            transcriber(np.zeros(16000 * 31), timestamps=False)

    def test_files(self):
        transcriber = tenon.Transcriber(self.model)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sound.wav")

            def written(samples, channels=1, rate=16000, bytes=2):
                with wave.open(path, "wb") as file:
                    file.setparams((channels, bytes, rate, 0, "NONE", ""))
                    numbers = np.round(samples * 32768).astype("<i2")
                    file.writeframes(numbers.repeat(channels).tobytes())
                return path
            samples = sound(40, w0=[50, 1, 1050, 1050], w2000=[2, 3])
            for channels in (1, 3):
                self.assertEqual(
                    self.ids(transcriber, written(samples, channels)),
                    self.ids(transcriber, samples))
            for wrong in ({"rate": 8000}, {"bytes": 1}):
                with self.assertRaisesRegex(tenon.InputError, "16 bits at"):
                    transcriber(written(samples, **wrong))
            with self.assertRaisesRegex(tenon.InputError, "no samples"):
                transcriber(written(samples[:0]))
            with open(written(samples), "rb") as file:
                data = file.read()
            for size, said in ((50000, "damaged: its header announces"),
                               (30, "damaged one"), (0, "damaged one")):
                with open(path, "wb") as file:
                    file.write(data[:size])
                with self.assertRaisesRegex(tenon.InputError, said):
                    transcriber(path)
            # A stream's header does not know the length.
            with open(path, "wb") as file:
                file.write(data[:4] + b"\xff" * 4 + data[8:40] + b"\xff" * 4 +
                           data[44:])
            self.assertEqual(self.ids(transcriber, path),
                             self.ids(transcriber, samples))
            for wrong in (os.path.join(folder, "none.wav"), folder):
                with self.assertRaisesRegex(tenon.FileError, wrong):
                    transcriber(wrong)

    def test_other_models(self):
        story = tenon.compile(os.path.join(models.SOURCE,
                                           "examples/story/story.mlir"))
        with self.assertRaisesRegex(tenon.UnsupportedError, "features"):
            tenon.Transcriber(story)

    def test_ends(self):
        transcriber = tenon.Transcriber(self.model)
        samples = sound(100, language=ENGLISH, w0=[1], w3000=[2], w6000=[3])
        with self.assertRaises(tenon.Cancelled) as caught:
            transcriber(samples, on_segment=lambda one: one.seek < 3000)
        self.assertEqual([each.ids.tolist() for each in
                          caught.exception.segments], [[1], [2]])

        def fails(one):
            raise KeyError(one.seek)
        with self.assertRaises(KeyError):
            transcriber(samples, on_segment=fails)
        with self.assertRaises(tenon.Cancelled):
            transcriber(samples, timeout=1e-9)
        transcriber.cancel()
        with self.assertRaises(tenon.Cancelled):
            transcriber(samples)
        timer = threading.Timer(0, transcriber.cancel)
        with self.assertRaises(tenon.Cancelled):
            transcriber(samples, on_segment=lambda one: (
                timer.start() if one.seek == 0 else None, timer.join()) and None)
        self.assertEqual(len(transcriber(samples).segments), 4)
        transcriber.close()


if __name__ == "__main__":
    unittest.main()
