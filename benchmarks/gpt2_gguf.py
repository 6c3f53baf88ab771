"""Writes GPT-2 as GGUF, the file format of llama.cpp, without a tokenizer.

Matrices have one element type, quantized by llama.cpp's own library; norms,
biases and positions are f32, as llama.cpp's tools store them.
"""
import ctypes
import os
import struct

import numpy as np

# ggml_type, and the value of general.file_type.
TYPES = {"f32": (0, 0), "f16": (1, 1), "q4_0": (2, 2), "q8_0": (8, 7),
         "bf16": (30, 32)}
# ggml_type: elements and bytes of a block.
BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 8: (32, 34), 30: (1, 2)}
ALIGNMENT = 32
UINT32, FLOAT32, STRING = 4, 6, 8


def text(value):
    encoded = value.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def pair(key, value):
    if isinstance(value, str):
        return text(key) + struct.pack("<I", STRING) + text(value)
    if isinstance(value, float):
        return text(key) + struct.pack("<If", FLOAT32, value)
    return text(key) + struct.pack("<II", UINT32, value)


def tensors(weights, kind):
    """Yields names, row-major arrays and element types."""
    def matrix(ours, theirs):
        return theirs, np.ascontiguousarray(weights[ours].T), kind

    def plain(ours, theirs):
        return theirs, weights[ours], 0

    yield "token_embd.weight", weights["wte.weight"], kind
    yield plain("wpe.weight", "position_embd.weight")
    for part in ("weight", "bias"):
        yield plain(f"ln_f.{part}", f"output_norm.{part}")
    for i in range(weights.layers):
        for ours, theirs in (("ln_1", "attn_norm"), ("ln_2", "ffn_norm")):
            for part in ("weight", "bias"):
                yield plain(f"h.{i}.{ours}.{part}", f"blk.{i}.{theirs}.{part}")
        for ours, theirs in (("attn.c_attn", "attn_qkv"),
                             ("attn.c_proj", "attn_output"),
                             ("mlp.c_fc", "ffn_up"),
                             ("mlp.c_proj", "ffn_down")):
            yield matrix(f"h.{i}.{ours}.weight", f"blk.{i}.{theirs}.weight")
            yield plain(f"h.{i}.{ours}.bias", f"blk.{i}.{theirs}.bias")


def quantized(base, array, kind):
    if kind == 0:
        return array.tobytes()
    rows, columns = array.shape
    elements, size = BLOCKS[kind]
    out = np.empty(rows * columns // elements * size, np.uint8)
    base.ggml_quantize_chunk.restype = ctypes.c_size_t
    made = base.ggml_quantize_chunk(
        ctypes.c_int(kind), array.ctypes.data_as(ctypes.c_void_p),
        out.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(0),
        ctypes.c_int64(rows), ctypes.c_int64(columns), None)
    if made != out.nbytes:
        raise SystemExit(f"bench: ggml_quantize_chunk wrote {made} bytes, "
                         f"expected {out.nbytes}")
    return out.tobytes()


def write(weights, path, name, libraries):
    """Writes the format `name`; `libraries` is the folder of libggml-base."""
    base = ctypes.CDLL(os.path.join(libraries, "libggml-base.so"))
    kind, file_type = TYPES[name]
    facts = {"general.architecture": "gpt2", "general.name": "gpt2",
             "general.file_type": file_type,
             "gpt2.block_count": weights.layers,
             "gpt2.context_length": weights.positions,
             "gpt2.embedding_length": weights.width,
             "gpt2.feed_forward_length": 4 * weights.width,
             "gpt2.attention.head_count": weights.heads,
             "gpt2.attention.layer_norm_epsilon": 1e-5,
             "gpt2.vocab_size": weights.vocabulary,
             "tokenizer.ggml.model": "no_vocab"}
    infos, at, count = b"", 0, 0
    with open(f"{path}.data", "wb") as data:
        for title, array, held in tensors(weights, kind):
            count += 1
            infos += text(title) + struct.pack("<I", array.ndim)
            infos += b"".join(struct.pack("<Q", e) for e in array.shape[::-1])
            infos += struct.pack("<IQ", held, at)
            encoded = quantized(base, array, held)
            encoded += bytes(-len(encoded) % ALIGNMENT)
            at += len(encoded)
            data.write(encoded)
    head = b"GGUF" + struct.pack("<IQQ", 3, count, len(facts))
    head += b"".join(pair(k, v) for k, v in facts.items()) + infos
    with open(f"{path}.part", "wb") as out:
        out.write(head + bytes(-len(head) % ALIGNMENT))
        with open(f"{path}.data", "rb") as data:
            while block := data.read(1 << 24):
                out.write(block)
    os.remove(f"{path}.data")
    os.replace(f"{path}.part", path)
