"""Random numbers: TensorFlow's generator in numpy, word for word."""
import numpy as np

from graph_text import Type
from op_row import Constant, Row, ints, number

MASK = np.uint64(0xffffffff)


def philox(key, low, high):
    """Blocks [n, 4] of the counters low, high (u64), by Salmon et al., 2011."""
    low, high = np.broadcast_arrays(np.asarray(low, np.uint64),
                                    np.asarray(high, np.uint64))
    thirty_two = np.uint64(32)
    c = [low & MASK, low >> thirty_two, high & MASK, high >> thirty_two]
    k = [int(key) & 0xffffffff, int(key) >> 32]
    for _ in range(10):
        a = c[0] * np.uint64(0xd2511f53)
        b = c[2] * np.uint64(0xcd9e8d57)
        c = [(b >> thirty_two) ^ c[1] ^ np.uint64(k[0]), b & MASK,
             (a >> thirty_two) ^ c[3] ^ np.uint64(k[1]), a & MASK]
        k = [(k[0] + 0x9e3779b9) & 0xffffffff, (k[1] + 0xbb67ae85) & 0xffffffff]
    return np.stack(c, -1)


def mixed(seeds):
    """The key and the counter derived from two seeds."""
    first, second = (int(s) & 0xffffffffffffffff for s in seeds)
    w = [int(v) for v in philox(0x02461e293ec8f720, first, second)]
    return w[0] | w[1] << 32, 0, w[2] | w[3] << 32


def words(generator, blocks):
    key, low, high = generator
    places = [(low + i) & 0xffffffffffffffff for i in range(blocks)]
    carries = [high + (low + i >> 64) for i in range(blocks)]
    return philox(key, np.array(places, np.uint64),
                  np.array(carries, np.uint64))


def blocks_for(count, group):
    return -(-count // group)


def uniform(generator, shape, dtype=np.float32):
    count = int(np.prod(shape))
    if dtype == np.float64:
        w = words(generator, blocks_for(count, 2)).reshape(-1, 2)
        parts = (w[:, 0] & np.uint64(0xfffff)) << np.uint64(32) | w[:, 1]
        return (parts.astype(np.float64) * 2.0 ** -52)[:count].reshape(shape)
    bits = 23 if dtype == np.float32 else 10
    w = words(generator, blocks_for(count, 4)).reshape(-1)[:count]
    return ((w & np.uint64(2 ** bits - 1)) * 2.0 ** -bits).astype(
        dtype).reshape(shape)


def box_muller(first, second):
    radius = np.sqrt(-2 * np.log(np.maximum(first, 1e-7)))
    return np.stack([np.sin(2 * np.pi * second) * radius,
                     np.cos(2 * np.pi * second) * radius], -1)


def normal(generator, shape, dtype=np.float32):
    count = int(np.prod(shape))
    group = 2 if dtype == np.float64 else 4
    u = uniform(generator, (blocks_for(count, group) * group,),
                dtype if dtype == np.float64 else np.float32)
    pairs = u.astype(np.float64).reshape(-1, 2)
    return box_muller(pairs[:, 0], pairs[:, 1]).reshape(-1)[:count].astype(
        dtype).reshape(shape)


def truncated(generator, shape):
    key, low, high = generator
    count, found = int(np.prod(shape)), []
    for group in range(blocks_for(count, 4)):
        tried = normal((key, low + 256 * group, high), (64,))
        found += list(tried[np.abs(tried) < 2][:4])
    return np.array(found[:count], np.float32).reshape(shape)


def integers(generator, shape, low, high, dtype=np.int32):
    count = int(np.prod(shape))
    if dtype == np.int64:
        w = words(generator, blocks_for(count, 2)).reshape(-1, 2)
        w = w[:, 0] | w[:, 1] << np.uint64(32)
    else:
        w = words(generator, blocks_for(count, 4)).reshape(-1)
    offsets = w[:count] % np.uint64(high - low)
    return (offsets.astype(np.int64) + low).astype(dtype).reshape(shape)


SEEDS = np.array([7, -3], np.int32)
GENERATOR = mixed(SEEDS)
# The low half of the counter overflows into the high half in the second block.
KEY = np.array([0x123456789abcdef0], np.uint64)
COUNTER = np.array([2 ** 64 - 1, 5], np.uint64)
KEYED = (int(KEY[0]), int(COUNTER[0]), int(COUNTER[1]))
# A node's seeds, as TensorFlow 2 derives them from tf.random.set_seed(42).
OWN = dict(seed=42, seed2=478163327)
FIRST = (OWN["seed"], 0, OWN["seed2"])
ALGORITHM = Constant(1, np.int32)

RANDOMS = [
    Row("StatelessRandomUniform", [ints(3, 5), SEEDS],
        uniform(GENERATOR, (3, 5)), 0, dtype=Type(np.float32)),
    Row("StatelessRandomUniform", [ints(7), SEEDS.astype(np.int64)],
        uniform(GENERATOR, (7,), np.float64), 0, dtype=Type(np.float64)),
    Row("StatelessRandomUniform", [ints(2, 3), Constant(SEEDS)],
        uniform(GENERATOR, (2, 3), np.float16), 0, dtype=Type(np.float16)),
    Row("StatelessRandomUniformV2", [ints(9), KEY, COUNTER, ALGORITHM],
        uniform(KEYED, (9,)), 0),
    Row("StatelessRandomNormal", [ints(3, 5), SEEDS],
        normal(GENERATOR, (3, 5)), 1e-5),
    Row("StatelessRandomNormalV2", [ints(5), KEY, COUNTER, ALGORITHM],
        normal(KEYED, (5,), np.float64), 1e-12, dtype=Type(np.float64)),
    Row("StatelessTruncatedNormal", [ints(30, 11), SEEDS],
        truncated(GENERATOR, (30, 11)), 1e-5),
    Row("StatelessTruncatedNormalV2", [ints(3), KEY, COUNTER, ALGORITHM],
        truncated(KEYED, (3,)), 1e-5),
    Row("StatelessRandomUniformInt", [
        ints(3, 5), SEEDS, number(-4), number(9)],
        integers(GENERATOR, (3, 5), -4, 9)),
    Row("StatelessRandomUniformIntV2", [
        ints(5), KEY, COUNTER, ALGORITHM, Constant(-10 ** 15, np.int64),
        Constant(10 ** 16, np.int64)],
        integers(KEYED, (5,), -10 ** 15, 10 ** 16, np.int64)),
    Row("StatelessRandomUniformFullInt", [ints(5), SEEDS],
        words(GENERATOR, 2).reshape(-1)[:5].astype(np.uint32),
        dtype=Type(np.uint32)),
    Row("StatelessRandomUniformFullIntV2", [ints(3), KEY, COUNTER, ALGORITHM],
        words(KEYED, 2).reshape(-1, 2).dot(
            np.array([1, 2 ** 32], np.uint64))[:3], dtype=Type(np.uint64)),
    Row("StatelessRandomGetKeyCounter", [SEEDS],
        [np.array([GENERATOR[0]], np.uint64),
         np.array(GENERATOR[1:], np.uint64)]),
    Row("StatelessRandomGetAlg", [], np.int32(1)),
    # The first numbers that TensorFlow 2.x draws after set_seed(42).
    Row("RandomUniform", [ints(4)], np.array(
        [0.6645621, 0.44100678, 0.3528825, 0.46448255], np.float32), 1e-6,
        dtype=Type(np.float32), **OWN),
    Row("RandomStandardNormal", [ints(2, 3)], np.array(
        [[0.3274685, -0.8426258, 0.3194337],
         [-1.4075519, -2.3880599, -1.0392479]], np.float32), 1e-6,
        dtype=Type(np.float32), **OWN),
    Row("TruncatedNormal", [ints(50)], truncated(FIRST, (50,)), 1e-5,
        dtype=Type(np.float32), **OWN),
    Row("RandomUniformInt", [ints(6), number(0), number(10)],
        integers(FIRST, (6,), 0, 10), **OWN),
    # Only one class, or one row, has a nonzero probability.
    Row("Multinomial", [np.array([[-np.inf, 3, -np.inf], [0, -900, -900]],
                                 np.float32), number(3)],
        np.array([[1] * 3, [0] * 3], np.int64), seed=3, static=True),
    Row("StatelessMultinomial", [np.array([[-np.inf, 3]], np.float32),
                                 number(3), SEEDS],
        np.array([[1, 1, 1]], np.int32), output_dtype=Type(np.int32)),
    Row("RandomShuffle", [np.array([[2, 3]] * 4, np.float32)],
        np.array([[2, 3]] * 4, np.float32), seed=1),
]
