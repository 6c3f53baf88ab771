"""Tests models on a device. Without a driver they are refused; the stand-in of
the driver, which is for tests, runs them in a process of its own."""
import ctypes
import os
import subprocess
import sys
import unittest

import models
import tenon

STAND_IN = os.path.join(os.path.dirname(tenon.__file__), "../../lib/gpu")


def has_driver():
    try:
        return bool(ctypes.CDLL("libcuda.so.1"))
    except OSError:
        return False


class Devices(unittest.TestCase):
    def test_an_artifact_without_the_version(self):
        path = os.path.join(models.FOLDER, "for-cpus.so")
        with tenon.compile(models.add(), output=path, device="cpu") as model:
            self.assertIsNone(model.device)
        with self.assertRaisesRegex(tenon.InputError, "no code for NVIDIA"):
            tenon.load(path, device="cuda")
        with self.assertRaisesRegex(tenon.InputError, 'unknown device "gpu"'):
            tenon.load(path, device="gpu")

    def test_an_artifact_without_a_version_for_cpus(self):
        path = os.path.join(models.FOLDER, "for-devices.so")
        with self.assertRaisesRegex(tenon.InputError, "code for nvptx"):
            tenon.compile(models.add(), output=path,
                          options=["--device=nvptx:sm_80"])

    @unittest.skipIf(has_driver(), "this machine has a driver")
    def test_no_driver(self):
        with self.assertRaisesRegex(tenon.DeviceError,
                                    "no NVIDIA driver") as caught:
            tenon.compile(models.add(), device="cuda")
        self.assertEqual(caught.exception.status, 7)

    @unittest.skipUnless(os.path.isdir(STAND_IN), "there is no stand-in")
    def test_a_run(self):
        code = ("import numpy as np, sys, tenon\n"
                "f = tenon.compile(sys.argv[1], device='cuda')\n"
                "x = np.arange(6, dtype=np.float32).reshape(2, 3)\n"
                "assert (f(x, x) == 2 * x).all()\n"
                "print(f.version, f.device)\n")
        self.assertRegex(self.on_stand_in("-c", code), "^nvptx emulated")

    @unittest.skipUnless(os.path.isdir(STAND_IN), "there is no stand-in")
    def test_tensors_on_the_device(self):
        script = os.path.join(os.path.dirname(__file__), "device_tensors.py")
        self.assertRegex(self.on_stand_in(script), "^nvptx emulated")

    def on_stand_in(self, *program):
        """What a program prints that gets the path of a model."""
        done = subprocess.run(
            [sys.executable, *program, models.add()], check=False,
            capture_output=True, text=True,
            env={**os.environ, "LD_LIBRARY_PATH": STAND_IN})
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


if __name__ == "__main__":
    unittest.main()
