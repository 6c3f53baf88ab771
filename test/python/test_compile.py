"""Tests compilation: through the cache, into a file, and without a cache."""
import os
import unittest
import warnings
from unittest import mock

import models
import numpy as np
import tenon


class Compile(unittest.TestCase):
    def setUp(self):
        self.x = np.ones((4, 3), np.float32)

    def test_found_again(self):
        first = tenon.compile(models.add())
        second = tenon.compile(models.add())
        self.assertEqual(first.path, second.path)
        other = tenon.compile(models.add(), dims={"batch": 4})
        self.assertNotEqual(first.path, other.path)
        self.assertEqual(other.inputs[0].shape, (4, 3))
        np.testing.assert_array_equal(other(self.x, self.x), self.x * 2)

    def test_sizes_and_shapes(self):
        for size, low, high in [((1, 8), 1, 8), ((2, None), 2, None),
                                ("1..64:4", 1, 64), (range(1, 9), 1, 8)]:
            model = tenon.compile(models.add(), dims={"batch": size})
            dim = model.inputs[0].dims[0]
            self.assertEqual((dim.min, dim.max), (low, high))
        model = tenon.compile(models.add(), shapes={"x": (None, 3)})
        self.assertEqual(model.inputs[0].shape, (None, 3))
        with self.assertRaisesRegex(tenon.InputError, "batch"):
            tenon.compile(models.add(), dims={"batch": (1, 2)})(self.x, self.x)

    def test_variants_and_padding(self):
        model = tenon.compile(models.add(), dims={"batch": (1, 64)},
                              specialize=[{"batch": 1}, {"batch": 4}])
        for rows in (1, 3, 4):
            x = np.full((rows, 3), 2, np.float32)
            np.testing.assert_array_equal(model(x, x), x + x)
        padded = tenon.compile(models.add(), pad={"batch": 8})
        np.testing.assert_array_equal(padded(self.x, self.x), self.x * 2)

    def test_versions(self):
        model = tenon.compile(models.add(), options=[
            "--multiversion=x86-64-v2,x86-64-v3"])
        self.assertIn("x86-64-v3 (AVX2), x86-64-v2 (SSE)", model.target)
        self.assertEqual(model.version, "x86-64-v3")
        np.testing.assert_array_equal(model(self.x, self.x), 2 * self.x)

    def test_into_a_file(self):
        path = os.path.join(models.FOLDER, "here.so")
        model = tenon.compile(models.add(), output=path, cpu="x86-64-v3",
                              options=["--name=mine"])
        self.assertEqual((model.path, model.name), (path, "mine"))
        loaded = tenon.load(path, threads=1, verify_weights=True)
        np.testing.assert_array_equal(loaded(self.x, self.x), self.x * 2)

    def test_without_a_cache(self):
        with mock.patch.dict(os.environ, {"TENON_CACHE_LIMIT": "0"}):
            model = tenon.compile(models.add())
        np.testing.assert_array_equal(model(self.x, self.x), self.x * 2)
        path = model.path
        del model
        self.assertFalse(os.path.exists(path))

    def test_a_damaged_entry_is_a_warning(self):
        model = tenon.compile(models.add(), opt=3)
        path = model.path
        del model  # a mapped file must not be truncated
        os.truncate(path, 100)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            again = tenon.compile(models.add(), opt=3)
        self.assertIn("damaged entry", str(caught[0].message))
        self.assertEqual(len(caught), 1)
        np.testing.assert_array_equal(again(self.x, self.x), self.x * 2)

    def test_a_saved_model(self):
        folder = models.saved_model()
        double = tenon.compile(folder, function="double")
        negate = tenon.compile(folder, function="negate")
        x = np.array([1, 2], np.float32)
        np.testing.assert_array_equal(double(x), x * 2)
        np.testing.assert_array_equal(negate(x), -x)
        both = tenon.compile(folder, function=["negate", "double"])
        self.assertEqual(both.functions, ("negate", "double"))
        np.testing.assert_array_equal(both(x), -x)
        np.testing.assert_array_equal(both["double"](x), x * 2)
        with self.assertRaisesRegex(tenon.Error, "triple"):
            tenon.compile(folder, function="triple")


if __name__ == "__main__":
    unittest.main()
