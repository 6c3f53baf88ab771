"""Runs a command with seeds at the ends of their range and beyond 32 bits, and
checks that each gives one text, and another than the others."""
import subprocess
import sys

SEEDS = (0, 1, -1, 1 << 31, 1 << 32, (1 << 63) - 1, -1 << 63)


def text(seed):
    return subprocess.run([*sys.argv[1:], f"--seed={seed}"], check=True,
                          capture_output=True, text=True).stdout


texts = [text(seed) for seed in SEEDS]
assert len(set(texts)) == len(SEEDS), texts
assert texts == [text(seed) for seed in SEEDS]
