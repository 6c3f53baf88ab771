"""Tests tensors of other libraries, used in place, of every type and shape."""
import unittest

import models
import numpy as np
import tenon

try:
    import torch
except ImportError:
    torch = None


class Foreign:
    """A tensor that supports only DLPack."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device, self.exports = array, device, 0

    def __dlpack__(self, **options):
        self.exports += 1
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.device


class DLPack(unittest.TestCase):
    def test_dense_and_strided(self):
        model = tenon.compile(models.copy("f32", "n", "m"))
        wide = np.arange(24, dtype=np.float32).reshape(4, 6)
        for array in (wide, wide[1:, 2:5], wide.T, wide[::2, ::3],
                      wide[:0], wide[:, :0], wide[::-1, ::-2],
                      np.broadcast_to(np.float32(3), (2, 2)).copy()):
            foreign = Foreign(array)
            np.testing.assert_array_equal(model(foreign), array)
            self.assertEqual(foreign.exports, 1)

    def test_every_type_numpy_exports(self):
        for dtype, kind in [("f32", "f4"), ("f64", "f8"), ("f16", "f2"),
                            ("i8", "i1"), ("i16", "i2"), ("i32", "i4"),
                            ("i64", "i8"), ("u8", "u1"), ("u16", "u2"),
                            ("u32", "u4"), ("u64", "u8")]:
            model = tenon.compile(models.copy(dtype, "n", 2), opt=0)
            array = np.array([[1, 2], [3, 4]], kind)
            np.testing.assert_array_equal(model(Foreign(array)), array)

    def test_what_is_refused(self):
        model = tenon.compile(models.copy("f32", "n"))
        x = np.ones(2, np.float32)
        for foreign, words in [
                (Foreign(x, (2, 0)), "input \"x\": expected a tensor in the "
                                     "memory of the CPU, got one on device 2"),
                (Foreign(x.astype(complex)), "no element type of Tenon has"),
                (Foreign(x.astype("f8")), "expected f32, got f64"),
                (Foreign(x.reshape(1, 2)), "expected rank 1, got 2")]:
            with self.assertRaises(tenon.InputError) as caught:
                model(foreign)
            self.assertIn(words, str(caught.exception))

    def test_outputs(self):
        y = tenon.compile(models.copy("i32", 3))(np.arange(3, dtype=np.int32))
        np.testing.assert_array_equal(np.from_dlpack(y), [0, 1, 2])

    @unittest.skipIf(torch is None, "needs PyTorch")
    def test_pytorch(self):
        add = tenon.compile(models.add())
        x = torch.arange(6, dtype=torch.float32).reshape(3, 2).T
        y = torch.ones(2, 3)
        np.testing.assert_array_equal(add(x, y), (x + y).numpy())
        z = torch.from_dlpack(add(x, y))
        self.assertTrue(torch.equal(z, x + y))
        flags = tenon.compile(models.copy("bool", 2))
        np.testing.assert_array_equal(flags(torch.tensor([True, False])),
                                      [True, False])
        with self.assertRaisesRegex(tenon.InputError, 'input "x": .*grad'):
            add(x.clone().requires_grad_(), y)

    @unittest.skipIf(torch is None, "needs PyTorch")
    def test_bfloat16_of_pytorch(self):
        model = tenon.compile(models.copy("bf16", "n"))
        x = torch.tensor([1, -2.5, 3e30, float("inf")], dtype=torch.bfloat16)
        y = model(x)
        self.assertEqual(y.dtype, "bf16")
        back = torch.from_dlpack(y)
        self.assertEqual(back.dtype, torch.bfloat16)
        self.assertTrue(torch.equal(back, x))
        # Both share one memory, which stays when the array is deleted.
        y.bits[0] = 0
        self.assertEqual(float(back[0]), 0)
        del y
        self.assertEqual(float(back[1]), -2.5)
        wide = torch.arange(10, dtype=torch.bfloat16)[::3]
        self.assertTrue(torch.equal(torch.from_dlpack(model(wide)), wide))


if __name__ == "__main__":
    unittest.main()
