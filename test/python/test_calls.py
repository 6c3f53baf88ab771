"""Tests calls: inputs by order and by name, the outputs, and the ownership of
memory."""
import unittest

import models
import numpy as np
import tenon

NUMPY = {"f32": np.float32, "f64": np.float64, "f16": np.float16,
         "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
         "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
         "bool": np.bool_}


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.add = tenon.compile(models.add())

    def setUp(self):
        self.x = np.arange(6, dtype=np.float32).reshape(2, 3)
        self.y = np.full((2, 3), -2, np.float32)
        self.z = np.maximum(self.x + self.y, 0)

    def test_by_order_and_by_name(self):
        for z in (self.add(self.x, self.y), self.add(self.x, y=self.y),
                  self.add(y=self.y, x=self.x), self.add["add"](self.x, self.y)
                  if "add" in self.add.functions else
                  self.add[self.add.functions[0]](self.x, self.y)):
            self.assertEqual(z.dtype, np.float32)
            np.testing.assert_array_equal(z, self.z)

    def test_into_memory_of_the_caller(self):
        z = np.zeros((2, 3), np.float32)
        self.assertEqual(self.add.into([z], self.x, y=self.y), ((2, 3),))
        np.testing.assert_array_equal(z, self.z)
        fixed = np.zeros((2, 3), np.float32)
        fixed.flags.writeable = False
        for outputs, words in [
                ([z[:1]], "expected the shape (2, 3), got (1, 3)"),
                ([z.astype("f8")], "expected f32, got f64"),
                ([z.T], "a dense tensor that may be written to"),
                ([fixed], "a dense tensor that may be written to"),
                ([z, z], "expected 1 outputs, got 2")]:
            with self.assertRaises(tenon.InputError) as caught:
                self.add.into(outputs, self.x, self.y)
            self.assertIn(words, str(caught.exception))

    def test_any_size_of_an_open_extent(self):
        for batch in (0, 1, 2, 100):
            x = np.ones((batch, 3), np.float32)
            np.testing.assert_array_equal(self.add(x, x), x + x)

    def test_the_description(self):
        x, y = self.add.inputs
        self.assertEqual((x.name, x.dtype, x.shape), ("x", "f32", (None, 3)))
        self.assertEqual(y.dims[0],
                         tenon.Dim("batch", None, 0, None, 1))
        self.assertEqual(str(self.add.outputs[0]), "z f32[batch, 3]")
        self.assertIn("add", self.add.name)
        self.assertIn("x86_64", self.add.target)
        self.assertIn("x f32[batch, 3], y f32[batch, 3] -> z", repr(self.add))

    def test_results_are_the_callers(self):
        first = self.add(self.x, self.y)
        kept = first.copy()
        for _ in range(3):
            self.add(self.x * 9, self.y)
        np.testing.assert_array_equal(first, kept)
        self.assertTrue(first.flags.writeable)

    def test_results_outlive_the_model(self):
        with tenon.compile(models.add()) as model:
            z = model(self.x, self.y)
        np.testing.assert_array_equal(z, self.z)

    def test_views_of_any_kind(self):
        wide = np.arange(24, dtype=np.float32).reshape(4, 6)
        for x in (wide[:2, ::2], wide[::-2, ::-2], wide.T[:3, :2].T,
                  np.broadcast_to(np.float32(7), (2, 3)),
                  self.x.astype(">f4")):
            np.testing.assert_array_equal(self.add(x, self.y),
                                          np.maximum(x + self.y, 0))
        # An address that is not aligned for a float.
        odd = np.zeros(25, np.uint8)[1:].view(np.float32).reshape(2, 3)
        odd[...] = 5
        np.testing.assert_array_equal(self.add(odd, odd), odd + odd)
        frozen = self.x.copy()
        frozen.flags.writeable = False
        np.testing.assert_array_equal(self.add(frozen, self.y), self.z)

    def test_lists_and_numbers(self):
        z = self.add([[1, 2, 3]], [[0.5, -9, 0]])
        np.testing.assert_array_equal(z, [[1.5, 0, 3]])
        scalar = tenon.compile(models.copy("i64"))
        self.assertEqual(scalar(7), 7)
        self.assertEqual(scalar(7).shape, ())
        self.assertEqual(scalar(np.int64(-7)), -7)
        unsigned = tenon.compile(models.copy("u8", 2))
        np.testing.assert_array_equal(unsigned([0, 255]), [0, 255])
        for wrong in ([0, 256], [0, -1], [0, 1.5], ["a", "b"], [1, None],
                      [[1], [2, 3]]):
            with self.assertRaises(tenon.InputError, msg=wrong):
                unsigned(wrong)

    def test_every_element_type(self):
        for dtype, kind in NUMPY.items():
            model = tenon.compile(models.copy(dtype, "n", 2), opt=0)
            x = np.array([[0, 1], [1, 0], [1, 1]]).astype(kind)
            y = model(x)
            self.assertEqual(y.dtype, np.dtype(kind))
            np.testing.assert_array_equal(y, x)

    def test_empty_and_scalar(self):
        empty = tenon.compile(models.copy("f32", "n", 0))
        self.assertEqual(empty(np.ones((3, 0), np.float32)).shape, (3, 0))
        self.assertEqual(empty(np.ones((0, 0), np.float32)).shape, (0, 0))
        scalar = tenon.compile(models.copy("f32"))
        y = scalar(np.array(2.5, np.float32))
        self.assertEqual((y.shape, float(y)), ((), 2.5))

    def test_several_outputs(self):
        model = tenon.compile(models.write(
            "two", models.node("Neg", ["x"], ["n"]),
            models.node("Abs", ["x"], ["a"]),
            models.value("input", "x", "f32", "k"),
            models.value("output", "n", "f32", "k"),
            models.value("output", "a", "f32", "k")))
        outputs = model(np.array([1, -2], np.float32))
        negated, absolute = outputs
        np.testing.assert_array_equal(negated, [-1, 2])
        np.testing.assert_array_equal(outputs["a"], absolute)
        np.testing.assert_array_equal(outputs[1], [1, 2])
        self.assertEqual(list(outputs.keys()), ["n", "a"])
        self.assertEqual(dict(outputs.items())["n"][1], 2)
        with self.assertRaisesRegex(KeyError, "expected one of n, a"):
            outputs["b"]

    def test_extents_only_a_run_knows(self):
        model = tenon.compile(models.write(
            "where", models.node("NonZero", ["x"], ["i"]),
            models.value("input", "x", "f32", "n", 3),
            models.value("output", "i", "i64", 2, "found")))
        self.assertTrue(model.outputs[0].bounded)
        for x in (self.x, self.x * 0, np.zeros((0, 3), np.float32)):
            np.testing.assert_array_equal(model(x), np.nonzero(x))

    def test_bfloat16(self):
        model = tenon.compile(models.copy("bf16", "n"))
        exact = np.array([0, -1.5, 2**100, np.inf], np.float32)
        y = model(tenon.bfloat16(exact))
        self.assertIsInstance(y, tenon.BFloat16Array)
        np.testing.assert_array_equal(np.asarray(y), exact)
        # To nearest, ties to even; a NaN must not become an infinity.
        near = np.array([1 + 2**-9, 1 + 2**-8, 1 + 3 * 2**-8, np.nan],
                        np.float32)
        np.testing.assert_array_equal(
            np.asarray(model(near.tolist())),
            np.array([1, 1, 1 + 2**-6, np.nan], np.float32))
        hard = np.array([0x7F800001, 0xFFFFFFFF], np.uint32).view(np.float32)
        self.assertTrue(np.isnan(np.asarray(tenon.bfloat16(hard))).all())
        self.assertEqual(tenon.bfloat16(1.0).shape, ())
        with self.assertRaisesRegex(tenon.InputError, "expected bf16, got f32"):
            model(exact)
        with self.assertRaisesRegex(TypeError, "expected the bits as uint16"):
            tenon.BFloat16Array(exact)


if __name__ == "__main__":
    unittest.main()
