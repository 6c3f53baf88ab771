"""Tests optional inputs: keyword arguments with defaults, and ranges."""
import os
import unittest

import models
import numpy as np
import tenon


class Optional(unittest.TestCase):
    """y = x * factor + the sum of `extra` + the rows of `allowed`."""

    @classmethod
    def setUpClass(cls):
        cls.model = tenon.compile(os.path.join(
            models.SOURCE, "lit/artifact/Inputs/optional.mlir"))
        cls.x = np.array([2, 4], np.float32)

    def test_left_out(self):
        for y in (self.model(self.x), self.model(x=self.x),
                  self.model(self.x, None, extra=None),
                  self.model(self.x, allowed=None, factor=0.5)):
            np.testing.assert_array_equal(y, [13, 14])

    def test_given(self):
        y = self.model(self.x, factor=1, extra=[1, 2, 3])
        np.testing.assert_array_equal(y, [8, 10])
        y = self.model(self.x, 1, [1, 2, 3], [[True, False]])
        np.testing.assert_array_equal(y, [9, 11])

    def test_required(self):
        with self.assertRaisesRegex(tenon.InputError, "expected 1 to 4 inputs"):
            self.model()
        with self.assertRaisesRegex(tenon.InputError, 'input "x": no tensor'):
            self.model(factor=1)
        with self.assertRaisesRegex(tenon.InputError, 'input "x": expected'):
            self.model(None)

    def test_ranges(self):
        with self.assertRaisesRegex(tenon.InputError,
                                    'input "factor": expected 0 to 1, got 2'):
            self.model(self.x, factor=2)
        with self.assertRaisesRegex(tenon.InputError, "got nan"):
            self.model(self.x, factor=float("nan"))
        with self.assertRaisesRegex(tenon.InputError,
                                    "element 1: expected at least 0, got -1"):
            self.model(self.x, extra=[0, -1])
        np.testing.assert_array_equal(self.model(self.x), [13, 14])

    def test_the_description(self):
        x, factor, extra, allowed = self.model.inputs
        self.assertEqual((x.default, x.range), (None, None))
        self.assertEqual((factor.default, factor.range), (0.5, (0.0, 1.0)))
        self.assertEqual((extra.default, extra.range),
                         ([5, 7], (0, 2**63 - 1)))
        self.assertEqual((allowed.default, allowed.range), ([], None))
        self.assertIn("x f32[n], factor f32[] = 0.5, extra i64[e] = [5, 7], "
                      "allowed bool[rows, 2] = [] -> y", repr(self.model))


if __name__ == "__main__":
    unittest.main()
