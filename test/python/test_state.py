"""Tests state: values that runs leave for later runs, separate for each
context, shared by all functions of the model."""
import os
import threading
import unittest

import models
import numpy as np
import tenon


class State(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = tenon.compile(os.path.join(
            models.SOURCE, "lit/artifact/Inputs/stateful.mlir"))
        cls.x = np.ones(4, np.float32)

    def test_functions_share_it(self):
        context = self.model.context()
        self.assertEqual(self.model.functions, ("step", "tell"))
        self.assertEqual(context["step"](self.x, 0)["count"], 11)
        before, count = context["step"](self.x, 1)
        np.testing.assert_array_equal(before, [2, 3, 4, 5])
        self.assertEqual(count, 12)
        told = context["tell"]()
        np.testing.assert_array_equal(told["h"], [3, 4, 5, 6])
        self.assertEqual(told["count"], 12)
        self.assertTrue(told["seen"].all())

    def test_each_context_has_its_own(self):
        first, second = self.model.context(), self.model.context()
        for _ in range(3):
            first(self.x, 0)
        self.assertEqual(second(self.x, 0)["count"], 11)
        self.assertEqual(first(self.x, 0)["count"], 14)
        first.reset_state()
        self.assertEqual(first(self.x, 0)["count"], 11)
        np.testing.assert_array_equal(second["tell"]()["h"], [2, 3, 4, 5])

    def test_each_thread_has_its_own(self):
        seen = []

        def count():
            for _ in range(3):
                last = self.model(self.x, 0)["count"]
            seen.append(int(last))
        for _ in range(2):
            thread = threading.Thread(target=count)
            thread.start()
            thread.join()
        self.assertEqual(seen, [13, 13])

    def test_a_closed_context_ends_no_other(self):
        """The memory of a closed context is used again."""
        for _ in range(50):
            old = self.model.context()
            old.close()
            new = self.model.context()
            del old
            new(self.x, 0)
            new.close()

    def test_context_extents(self):
        model = tenon.compile(os.path.join(
            models.SOURCE, "lit/artifact/Inputs/cache.mlir"))
        self.assertEqual(model.context_extents,
                         (("rows", 1, 8, 2), ("positions", 1, 65536, 8)))
        self.assertEqual(self.model.context_extents, ())
        context = model.context(extents={"rows": 3, "positions": 4})
        x = np.ones((3, 2, 4), np.float32)
        context(x)
        total, length = context(x)
        np.testing.assert_array_equal(total, [[8, 16, 24, 32]] * 3)
        self.assertEqual(length, 4)
        self.assertEqual(context["all"]().shape, (3, 4))
        with self.assertRaisesRegex(tenon.InputError, "expected 0 to 4, got 6"):
            context(x)
        with self.assertRaisesRegex(tenon.InputError, '"rows": expected 1 to 8'):
            model.context(extents={"rows": 9})


if __name__ == "__main__":
    unittest.main()
