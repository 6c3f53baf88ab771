"""Tests threads and processes: one model for all of them, a context for each,
and an interpreter that continues while a model runs."""
import gc
import multiprocessing
import os
import threading
import time
import unittest
import weakref

import models
import numpy as np
import tenon


def matmuls():
    """A chain of products that takes long enough to measure."""
    return models.write(
        "chain", *[models.node("MatMul", [f"x{i}", "w"], [f"x{i + 1}"])
                   for i in range(20)],
        models.value("input", "x0", "f32", "n", 512),
        models.value("input", "w", "f32", 512, 512),
        models.value("output", "x20", "f32", "n", 512))


class Threads(unittest.TestCase):
    def test_many_on_one_model(self):
        model = tenon.compile(models.add())
        wrong = []

        def work(seed):
            random = np.random.default_rng(seed)
            for _ in range(200):
                x = random.standard_normal((seed % 5 + 1, 3), np.float32)
                if not np.array_equal(model(x, y=x), np.maximum(x + x, 0)):
                    wrong.append(seed)
        threads = [threading.Thread(target=work, args=[i]) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        gc.collect()
        # A thread's context is freed with the thread.
        self.assertEqual(len(model._handle.users), 0)

    def test_the_interpreter_goes_on(self):
        model = tenon.compile(matmuls())
        x = np.full((600, 512), 1e-3, np.float32)
        w = np.full((512, 512), 1e-3, np.float32)
        model(x, w)
        running, ticks = threading.Event(), []

        def count():
            running.wait()
            while running.is_set():
                ticks.append(time.monotonic())
                time.sleep(0.0005)
        counter = threading.Thread(target=count)
        counter.start()
        start = time.monotonic()
        running.set()
        model(x, w)
        end = time.monotonic()
        running.clear()
        counter.join()
        inside = [t for t in ticks if start < t < end]
        self.assertGreater(len(inside), 3, f"in {end - start:.3f} s")

    def test_one_context_for_one_run(self):
        loop = tenon.compile(models.endless())
        context = loop.context()
        arguments = (2**60, True, np.zeros(4, np.float32))
        seen = []

        def call():
            try:
                context(*arguments)
            except tenon.Error as error:
                seen.append(type(error))
        threads = [threading.Thread(target=call) for _ in range(2)]
        for thread in threads:
            thread.start()
        while not seen:
            time.sleep(0.001)
        self.assertEqual(seen, [tenon.InputError])
        context.cancel()
        for thread in threads:
            thread.join()
        self.assertEqual(seen, [tenon.InputError, tenon.Cancelled])

    def test_a_function_keeps_its_model(self):
        function = tenon.compile(models.add())
        function = function[function.functions[0]]
        gc.collect()
        x = np.ones((1, 3), np.float32)
        np.testing.assert_array_equal(function(x, x), x + x)

    def test_models_go_when_nobody_has_them(self):
        def maps():
            with open("/proc/self/maps", encoding="utf-8") as lines:
                return sum("model.so" in line for line in lines)
        gc.collect()
        before = maps()
        for _ in range(50):
            model = tenon.compile(models.add(), opt=1)
            model(np.ones((1, 3), np.float32), np.ones((1, 3), np.float32))
        gone = weakref.ref(model)
        del model
        self.assertIsNone(gone())
        self.assertEqual(maps(), before)

    def test_a_forked_child(self):
        model = tenon.compile(matmuls())
        x = np.full((64, 512), 1e-3, np.float32)
        w = np.full((512, 512), 1e-3, np.float32)
        expected = model(x, w).tobytes()

        def child(queue):
            again = tenon.load(model.path)
            queue.put((model(x, w).tobytes() == expected,
                       again(x, w).tobytes() == expected))
        fork = multiprocessing.get_context("fork")
        queue = fork.Queue()
        process = fork.Process(target=child, args=[queue])
        process.start()
        self.assertEqual(queue.get(timeout=600), (True, True))
        process.join()
        self.assertEqual(process.exitcode, 0)


if __name__ == "__main__":
    unittest.main()
