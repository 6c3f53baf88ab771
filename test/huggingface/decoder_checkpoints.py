"""Random checkpoints of decoders: GPT-2, OPT, Llama, Mistral and Qwen, small ones
in `CASES` and models of full size in `LARGE`."""
from checkpoint_case import Case


def gpt2_tensors(c, prefix):
    d = c["n_embd"]
    inner = c.get("n_inner") or 4 * d
    yield prefix + "wte.weight", [c["vocab_size"], d], "table"
    yield prefix + "wpe.weight", [c["n_positions"], d], "table"
    for i in range(c["n_layer"]):
        h = f"{prefix}h.{i}."
        for norm in ("ln_1", "ln_2"):
            yield f"{h}{norm}.weight", [d], "norm"
            yield f"{h}{norm}.bias", [d], "bias"
        for name, shape in (("attn.c_attn", [d, 3 * d]),
                            ("attn.c_proj", [d, d]),
                            ("mlp.c_fc", [d, inner]),
                            ("mlp.c_proj", [inner, d])):
            yield f"{h}{name}.weight", shape, "columns"
            yield f"{h}{name}.bias", [shape[1]], "bias"
        if not prefix:
            p = c["n_positions"]
            yield h + "attn.bias", [1, 1, p, p], "mask"
    yield prefix + "ln_f.weight", [d], "norm"
    yield prefix + "ln_f.bias", [d], "bias"
    if c.get("tie_word_embeddings") is False:
        yield "lm_head.weight", [c["vocab_size"], d], "matrix"


def opt_tensors(c, prefix):
    d, ffn = c["hidden_size"], c["ffn_dim"]
    width = c.get("word_embed_proj_dim", d)
    norm_first = c.get("do_layer_norm_before", True)
    bias = c.get("enable_bias", True)

    def linear(name, shape, biased=bias):
        yield f"{name}.weight", shape, "matrix"
        if biased:
            yield f"{name}.bias", [shape[0]], "bias"

    def norm(name):
        if c.get("layer_norm_elementwise_affine", True):
            yield f"{name}.weight", [d], "norm"
            yield f"{name}.bias", [d], "bias"

    yield prefix + "embed_tokens.weight", [c["vocab_size"], width], "table"
    yield (prefix + "embed_positions.weight",
           [c["max_position_embeddings"] + 2, d], "table")
    if width != d:
        yield from linear(prefix + "project_in", [d, width], False)
        yield from linear(prefix + "project_out", [width, d], False)
    for i in range(c["num_hidden_layers"]):
        layer = f"{prefix}layers.{i}."
        for name in ("q", "k", "v", "out"):
            yield from linear(f"{layer}self_attn.{name}_proj", [d, d])
        yield from norm(layer + "self_attn_layer_norm")
        yield from linear(layer + "fc1", [ffn, d])
        yield from linear(layer + "fc2", [d, ffn])
        yield from norm(layer + "final_layer_norm")
    if norm_first and not c.get("_remove_final_layer_norm"):
        yield from norm(prefix + "final_layer_norm")


def llama_tensors(c, prefix):
    d, inner = c["hidden_size"], c["intermediate_size"]
    heads = c["num_attention_heads"]
    shared = c.get("num_key_value_heads", heads)
    depth = c.get("head_dim") or d // heads
    kind = c["model_type"]
    bias = c.get("attention_bias", False)
    yield prefix + "embed_tokens.weight", [c["vocab_size"], d], "table"
    for i in range(c["num_hidden_layers"]):
        layer = f"{prefix}layers.{i}."
        yield layer + "input_layernorm.weight", [d], "norm"
        yield layer + "post_attention_layernorm.weight", [d], "norm"
        for name, rows, columns in (("q", heads * depth, d),
                                    ("k", shared * depth, d),
                                    ("v", shared * depth, d),
                                    ("o", d, heads * depth)):
            stem = f"{layer}self_attn.{name}_proj"
            yield stem + ".weight", [rows, columns], "matrix"
            if kind == "qwen2" and name != "o" or kind != "qwen2" and bias:
                yield stem + ".bias", [rows], "bias"
        if kind == "qwen3":
            yield layer + "self_attn.q_norm.weight", [depth], "norm"
            yield layer + "self_attn.k_norm.weight", [depth], "norm"
        for name, rows, columns in (("gate", inner, d), ("up", inner, d),
                                    ("down", d, inner)):
            stem = f"{layer}mlp.{name}_proj"
            yield stem + ".weight", [rows, columns], "matrix"
            if c.get("mlp_bias"):
                yield stem + ".bias", [rows], "bias"
    yield prefix + "norm.weight", [d], "norm"
    if not c.get("tie_word_embeddings", False):
        yield "lm_head.weight", [c["vocab_size"], d], "matrix"


def tensors(config, prefix):
    kind = config["model_type"]
    if kind == "gpt2":
        yield from gpt2_tensors(config, prefix or "")
    elif kind == "opt":
        yield from opt_tensors(config, prefix or "model.decoder.")
    else:
        yield from llama_tensors(config,
                                 "model." if prefix is None else prefix)


def case(config, **more):
    return Case(config, tensors, **more)


def gpt2(**more):
    return {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"],
            "vocab_size": 67, "n_positions": 80, "n_embd": 24, "n_layer": 2,
            "n_head": 3, "bos_token_id": 66, "eos_token_id": 66, **more}


def opt(**more):
    return {"model_type": "opt", "architectures": ["OPTForCausalLM"],
            "vocab_size": 97, "hidden_size": 20, "num_hidden_layers": 2,
            "ffn_dim": 44, "max_position_embeddings": 80,
            "num_attention_heads": 5, "pad_token_id": 1, "eos_token_id": 2,
            **more}


def llama(kind="llama", **more):
    name = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2",
            "qwen3": "Qwen3"}[kind]
    return {"model_type": kind, "architectures": [f"{name}ForCausalLM"],
            "vocab_size": 71, "hidden_size": 24, "intermediate_size": 40,
            "num_hidden_layers": 2, "num_attention_heads": 3,
            "num_key_value_heads": 3, "max_position_embeddings": 96,
            "rms_norm_eps": 1e-5, "hidden_act": "silu", **more}


LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 64}

CASES = {
    "gpt2": case(gpt2()),
    "gpt2_prefix": case(gpt2(n_inner=None), prefix="transformer."),
    "gpt2_scales": case(gpt2(scale_attn_by_inverse_layer_idx=True,
                             scale_attn_weights=False, n_inner=36,
                             activation_function="gelu", n_layer=3)),
    "gpt2_untied": case(gpt2(tie_word_embeddings=False), shards=2),
    "gpt2_bf16": case(gpt2(n_embd=32, n_head=1, vocab_size=64), dtype="BF16"),
    "gpt2_f16": case(gpt2(n_embd=16, n_head=1), dtype="F16"),
    "opt": case(opt()),
    "opt_350m": case(opt(word_embed_proj_dim=12, do_layer_norm_before=False)),
    "opt_projected": case(opt(word_embed_proj_dim=32), dtype="BF16"),
    "opt_old_prefix": case(opt(_remove_final_layer_norm=True),
                           prefix="decoder."),
    "opt_plain": case(opt(enable_bias=False, activation_function="gelu",
                          layer_norm_elementwise_affine=False)),
    "llama2": case(llama()),
    # The second of six frequencies lies between the limits of LLAMA3.
    "llama3": case(llama(num_attention_heads=6, num_key_value_heads=2,
                         head_dim=12, rope_theta=500000.0,
                         rope_scaling=LLAMA3), dtype="BF16"),
    "llama_linear": case(llama(rope_scaling={"type": "linear", "factor": 4.0},
                               tie_word_embeddings=True)),
    "llama_biases": case(llama(attention_bias=True, mlp_bias=True,
                               hidden_act="gelu_pytorch_tanh"), prefix=""),
    "llama_parameters": case(llama(
        rope_parameters={"rope_theta": 1000.0, **LLAMA3}), dtype="F16"),
    "mistral": case(llama("mistral", num_attention_heads=10, hidden_size=20,
                          num_key_value_heads=5, head_dim=6,
                          sliding_window=None), shards=3),
    "mistral_window": case(llama("mistral", sliding_window=96)),
    "qwen2": case(llama("qwen2", num_attention_heads=6, num_key_value_heads=3,
                        tie_word_embeddings=True, sliding_window=8,
                        use_sliding_window=False, rope_theta=1e6),
                  dtype="BF16"),
    "qwen3": case(llama("qwen3", num_attention_heads=4, num_key_value_heads=2,
                        head_dim=10, vocab_size=97, rope_theta=1e6),
                  cache=True),
    "qwen3_tied": case(llama("qwen3", num_attention_heads=9, hidden_size=32,
                             num_key_value_heads=3, head_dim=16,
                             tie_word_embeddings=True, attention_bias=True),
                       dtype="BF16", shards=2, cache=True),
}

LARGE = {
    "gpt2-124m": case({
        "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"],
        "vocab_size": 50257, "n_positions": 1024, "n_embd": 768,
        "n_layer": 12, "n_head": 12}, prefix="transformer."),
    "qwen3-0.6b": case({
        "model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"],
        "vocab_size": 151936, "hidden_size": 1024, "intermediate_size": 3072,
        "num_hidden_layers": 28, "num_attention_heads": 16,
        "num_key_value_heads": 8, "head_dim": 128,
        "max_position_embeddings": 40960, "rms_norm_eps": 1e-6,
        "rope_theta": 1e6, "hidden_act": "silu",
        "tie_word_embeddings": True}, dtype="BF16"),
}
