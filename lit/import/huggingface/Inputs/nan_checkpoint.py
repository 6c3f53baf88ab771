"""Writes a small GPT-2 checkpoint whose scores are all NaN."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../../../test/huggingface"))
import write_checkpoints

values = write_checkpoints.values


def damaged(name, shape, kind):
    array = values(name, shape, kind)
    return np.full_like(array, np.nan) if name == "ln_f.bias" else array


write_checkpoints.values = damaged
write_checkpoints.write(write_checkpoints.CASES["gpt2"], sys.argv[1])
