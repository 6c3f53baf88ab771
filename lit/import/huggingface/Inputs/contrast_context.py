"""Contrastive search in contexts with and without memory for it."""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(sys.argv[1], "python"))
import tenon

model = tenon.load(sys.argv[2])
call = {"ids": np.array([[3, 4, 5]]), "lengths": np.array([3]),
        "penalty_alpha": np.float32(0.6), "top_k": 4}


def refusal(**extents):
    try:
        model.context(extents=extents)["start"](**call)
    except tenon.InputError as error:
        return str(error)
    return ""


assert "contrast_prompts: expected 0, got 1" in refusal(rows=4), refusal(rows=4)
assert "context's rows" in refusal(rows=3, contrast_prompts=1)
assert not refusal(rows=4, contrast_prompts=1)

# The library makes contexts with it, and a text that goes on keeps its columns.
options = {"penalty_alpha": 0.6, "top_k": 4, "max_new_tokens": 8}
generator = tenon.Generator(model, rows=4, positions=60)
prompt = [3, 4, 5]
first = generator([prompt], **options)[0].ids
following = prompt + list(first) + [7, 8]
second = generator([following], **options)[0].ids
assert generator.kept == len(prompt) + len(first) - 1, generator.kept
assert list(second) == list(tenon.Generator(model)(
    [following], **options)[0].ids)
# Greedy search has kept no hidden values.
generator([prompt], max_new_tokens=8)
assert list(second) == list(generator([following], **options)[0].ids)
assert generator.kept == 0, generator.kept
