"""Writes Whisper in the file format of whisper.cpp, with weights as f32 or f16
and without texts of tokens.

Vectors and positions are f32 in both, as whisper.cpp's tools store them.
"""
import os
import struct
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "test", "huggingface"))
import reference_logmel as logmel

MAGIC = 0x67676d6c
# Element types, and the same numbers for a whole file.
TYPES = {"f32": 0, "f16": 1}
# Parts of our names and of theirs; longer ones first.
NAMES = (
    ("model.", ""), (".layers.", ".blocks."),
    ("self_attn_layer_norm", "attn_ln"),
    ("encoder_attn_layer_norm", "cross_attn_ln"),
    ("final_layer_norm", "mlp_ln"), ("encoder_attn.", "cross_attn."),
    ("self_attn.", "attn."), ("q_proj", "query"), ("k_proj", "key"),
    ("v_proj", "value"), ("out_proj", "out"), ("fc1", "mlp.0"),
    ("fc2", "mlp.2"), ("encoder.layer_norm", "encoder.ln_post"),
    ("decoder.layer_norm", "decoder.ln"),
    ("embed_positions.weight", "positional_embedding"),
    ("embed_tokens.weight", "token_embedding.weight"))


def named(name):
    for ours, theirs in NAMES:
        name = name.replace(ours, theirs)
    return name


def write(weights, path, kind):
    c = weights.config
    mels = c["num_mel_bins"]
    with open(f"{path}.part", "wb") as out:
        out.write(struct.pack(
            "<12i", MAGIC, c["vocab_size"], c["max_source_positions"],
            c["d_model"], c["encoder_attention_heads"], c["encoder_layers"],
            c["max_target_positions"], c["d_model"],
            c["decoder_attention_heads"], c["decoder_layers"], mels,
            TYPES[kind]))
        filters = logmel.filters(mels).astype("<f4")
        out.write(struct.pack("<2i", *filters.shape) + filters.tobytes())
        # The library makes up the texts of tokens that a file does not have.
        out.write(struct.pack("<i", 0))
        for name in weights.entries:
            if not name.startswith("model."):
                continue
            array, theirs = weights[name], named(name)
            if theirs.startswith("encoder.conv") and array.ndim == 1:
                array = array[:, None]
            narrow = (kind == "f16" and array.ndim > 1 and array.shape[-1] > 1
                      and not theirs.endswith("positional_embedding"))
            out.write(struct.pack("<3i", array.ndim, len(theirs), int(narrow)))
            out.write(struct.pack(f"<{array.ndim}i", *array.shape[::-1]))
            out.write(theirs.encode())
            out.write(array.astype("<f2" if narrow else "<f4").tobytes())
    os.replace(f"{path}.part", path)
