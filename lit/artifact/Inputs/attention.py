"""Makes inputs of attention.mlir, or compares the outputs of its last step with
the definition in double precision: attention.py FOLDER make | check STEPS."""
import sys

import numpy as np

folder, what = sys.argv[1:3]
BATCH, HEADS, DEPTH = 2, 2, 16
random = np.random.default_rng(1)
q = random.uniform(-2, 2, (BATCH, 2 * HEADS, 1, DEPTH)).astype(np.float32)
# With few bits, so that no key and no value is rounded to bf16.
k = random.integers(-1, 2, (BATCH, HEADS, 1, DEPTH)).astype(np.float32)
v = random.integers(0, 9, (BATCH, HEADS, 1, DEPTH)).astype(np.float32)
if what == "make":
    for name, x in dict(q=q, k=k, v=v).items():
        np.save(f"{folder}/{name}.npy", x)
    sys.exit()
steps = int(sys.argv[3])
position = np.arange(steps, dtype=np.float64).reshape(steps, 1)
keys, values = k * position / 64, v + position  # [batch, heads, steps, depth]


def attend(rows):
    """rows[s]: the row of the cache that has position s, or None: the own."""
    result = np.zeros(q.shape)
    for b in range(BATCH):
        for h in range(2 * HEADS):
            entries = [b if row is None else row for row in rows]
            key = keys[entries, h // 2, range(steps)]
            weights = np.exp(key @ q[b, h, 0].astype(np.float64) * 0.25)
            value = values[entries, h // 2, range(steps)]
            result[b, h, 0] = weights @ value / weights.sum()
    return result


outputs = np.load(f"{folder}/outputs.npz")
for name, rows in dict(own=[None] * steps,
                       found=[s % 2 for s in range(steps)]).items():
    error = np.abs(outputs[name] - attend(rows)).max()
    assert error < 1e-4, f"{name} after {steps} steps: {error}"
print("agrees")
