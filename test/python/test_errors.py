"""Tests refusals: the class of each status, and the text of the message."""
import os
import shutil
import subprocess
import threading
import time
import unittest

import models
import numpy as np
import tenon
from tenon import _compile


class Errors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.add = tenon.compile(models.add())
        cls.x = np.ones((2, 3), np.float32)

    def refused(self, kind, words, call, *values, **named):
        with self.assertRaises(kind) as caught:
            call(*values, **named)
        self.assertIn(words, str(caught.exception))
        self.assertIsInstance(caught.exception, tenon.Error)
        return str(caught.exception)

    def test_wrong_inputs(self):
        x = self.x
        for words, values, named in [
                ('expected 2 inputs ("x", "y"), got 1', [x], {}),
                ('expected 2 inputs ("x", "y"), got 3', [x, x, x], {}),
                ('input "w": no such name', [x], {"w": x}),
                ('input "x": given twice', [x], {"x": x}),
                ('input "y": expected f32, got f64', [x, x.astype(float)], {}),
                ('input "x": expected rank 2, got 1', [x[0], x], {}),
                ('input "x": expected rank 2, got 0', [np.float32(1), x], {}),
                ('extent 1: expected 3, got 2', [x[:, :2], x], {}),
                ('extent 0 ("batch") is 1, but', [x, x[:1]], {}),
                ("no element type of Tenon is numpy's complex64",
                 [x.astype(np.complex64), x], {}),
                ("no element type of Tenon is numpy's <U1",
                 [np.array("a"), x], {})]:
            self.refused(tenon.InputError, words, self.add, *values, **named)
            self.refused(ValueError, words, self.add, *values, **named)
        # The function can be called again at once.
        np.testing.assert_array_equal(self.add(x, x), x + x)

    def test_a_value_that_is_wrong(self):
        gather = tenon.compile(models.write(
            "gather", models.node("Gather", ["x", "i"], ["y"]),
            models.value("input", "x", "f32", 4),
            models.value("input", "i", "i64"),
            models.value("output", "y", "f32")))
        x = np.arange(4, dtype=np.float32)
        self.assertEqual(gather(x, 2), 2)
        self.refused(tenon.InputError, 'node "Gather" (Gather): index 9',
                     gather, x, 9)
        self.assertEqual(gather(x, -1), 3)

    def test_files(self):
        missing = os.path.join(models.FOLDER, "missing.so")
        self.refused(tenon.FileError, f"{missing}: cannot open", tenon.load,
                     missing)
        self.refused(OSError, "cannot open", tenon.load, missing)
        damaged = os.path.join(models.FOLDER, "damaged.so")
        shutil.copy(self.add.path, damaged)
        with open(damaged, "r+b") as file:
            file.seek(-9, os.SEEK_END)
            file.write(b"\x7f")
        self.refused(tenon.ArtifactError, "damaged", tenon.load, damaged)

    def test_models(self):
        bad = os.path.join(models.FOLDER, "bad.onnx")
        with open(bad, "wb") as file:
            file.write(b"no model")
        self.refused(tenon.ModelError, f"{bad}: ", tenon.compile, bad)
        unsupported = models.write(
            "strange", models.node("NoSuchOp", ["x"], ["y"]),
            models.value("input", "x", "f32", 1),
            models.value("output", "y", "f32", 1))
        said = self.refused(tenon.UnsupportedError, "NoSuchOp", tenon.compile,
                            unsupported)
        # The message must equal that of the command line.
        done = subprocess.run([_compile._tool(), "compile", "-q", "-o",
                               models.FOLDER + "/no.so", unsupported],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, tenon.UnsupportedError.status)
        self.assertEqual(said, done.stderr.rstrip())
        self.refused(tenon.UsageError, "unknown CPU", tenon.compile,
                     models.add(), cpu="z80")
        self.refused(tenon.UsageError, "no dimension", tenon.compile,
                     models.add(), dims={"rows": 1})
        self.refused(tenon.FileError, "missing.onnx", tenon.compile,
                     models.FOLDER + "/missing.onnx")

    def test_names_of_functions(self):
        with self.assertRaisesRegex(KeyError, "expected one of .*, got 'no'"):
            self.add["no"]

    def test_deadlines_and_cancels(self):
        loop = tenon.compile(models.endless())
        arguments = (2**60, True, np.zeros(4, np.float32))
        context = loop.context(timeout=0.05)
        self.refused(tenon.Cancelled, "deadline", context, *arguments)
        context.set_timeout(None)
        timer = threading.Timer(0.05, context.cancel)
        timer.start()
        start = time.monotonic()
        self.refused(tenon.Cancelled, "cancel", context, *arguments)
        self.assertLess(time.monotonic() - start, 10)
        timer.join()
        self.assertEqual(context(3, True, np.ones(4, np.float32))[0], 8)

    def test_limits(self):
        model = tenon.compile(models.write(
            "sorted", models.node("Softmax", ["x"], ["s"], ""),
            models.node("CumSum", ["s", "a"], ["c"]),
            models.node("Softmax", ["c"], ["y"]),
            models.value("input", "x", "f32", "n", 64),
            models.value("input", "a", "i64"),
            models.value("output", "y", "f32", "n", 64)))
        context = model.context(memory_limit=4096)
        x = np.ones((100000, 64), np.float32)
        self.refused(tenon.LimitError, "memory", context, x, 1)
        self.refused(MemoryError, "memory", context, x, 1)

    def test_closed_and_busy(self):
        model = tenon.compile(models.endless())
        context = model.context()
        arguments = (2**60, True, np.zeros(4, np.float32))
        ended = []

        def call():
            try:
                context(*arguments)
            except tenon.Cancelled as error:
                ended.append(error)
        thread = threading.Thread(target=call)
        thread.start()
        while not any(user.calls for user in model._handle.users.values()):
            time.sleep(0.001)
        self.refused(tenon.InputError, "a run is under way", model.close)
        self.refused(tenon.InputError, "a run is under way", context.close)
        # Cancelling before the run has begun must end it too.
        context.cancel()
        thread.join()
        self.assertEqual(len(ended), 1)
        model.close()
        self.refused(tenon.InputError, "the context is closed", context,
                     *arguments)
        self.refused(tenon.InputError, "is closed", model, *arguments)
        self.refused(tenon.InputError, "is closed", model.context)
        model.close()


if __name__ == "__main__":
    unittest.main()
