"""Checks that a checkpoint's generation_config.json gives the defaults of its
options: calls without options have the text of calls with them.
"""
import json
import os

import numpy as np

import generation_options
from generation_artifact import extents_of, play
from generation_checks import compare
from generation_search import Near

CONFIGS = {
    "greedy": {"eos_token_id": [3, 17, 40], "pad_token_id": 5,
               "max_new_tokens": 15, "repetition_penalty": 1.25,
               "no_repeat_ngram_size": 3, "suppress_tokens": [1, 2],
               "begin_suppress_tokens": [7, 8, 9], "min_new_tokens": 2,
               "bad_words_ids": [[4], [11, 12]], "transformers_version": "4"},
    "beams": {"eos_token_id": 17, "num_beams": 3, "num_return_sequences": 2,
              "early_stopping": "never", "length_penalty": 0.5,
              "max_length": 30, "encoder_no_repeat_ngram_size": 2,
              "renormalize_logits": True, "min_length": 14,
              "forced_eos_token_id": 17,
              "sequence_bias": [[[6], 1.5], [[8, 9], -2.0]]},
    "one token": {"eos_token_id": 9, "do_sample": True, "top_k": 1,
                  "temperature": 0.5, "top_p": 0.75, "max_new_tokens": 18,
                  "exponential_decay_length_penalty": [4, 1.5],
                  "encoder_repetition_penalty": 0.75, "pad_token_id": 2},
    "early": {"eos_token_id": [20, 21, 22, 23, 24, 25, 26], "num_beams": 4,
              "early_stopping": True, "max_new_tokens": 12,
              "remove_invalid_values": True, "forced_bos_token_id": 30},
}
MODE = {"greedy": "hf-tf", "beams": "hf-pt", "one token": "hf-pt",
        "early": "hf-tf"}


def write(folder, config):
    with open(os.path.join(folder, "generation_config.json"), "w",
              encoding="utf-8") as out:
        json.dump(config, out)


def check(name, model, artifact, mode, that):
    """Compares calls without options with the reference's."""
    random = np.random.default_rng(len(name))
    draw = model.draw(random, mode)
    options = generation_options.from_config(CONFIGS[name])
    compared = 0
    while compared < 6:
        ids, lengths, _ = draw.prompts(3, 12)
        call = draw.given(ids, lengths, options)
        try:
            wanted = model.texts(call)
        except Near:
            continue
        compared += 1
        session = artifact.session(**extents_of(call), plain=True)
        holds = compare(call, play(session, call, 4), wanted)
        session.close()
        that(holds is None, f"defaults of {name}, {mode}: {holds}\n  {call}")
