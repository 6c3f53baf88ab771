"""Random checkpoints of T5: versions 1.0 and 1.1, flan and mT5, small ones in
`CASES` and a model of full size in `LARGE`.

Scores of attention have a spread of about two, so that it is neither flat nor
at one key. Tied embeddings are small beside what the layers add: a decoder with
large ones repeats its last token.
"""
from checkpoint_case import Case, Drawn, Same

SCORES = 2.0
LOGITS = 2.5


def matrix(fan, gain=1.2):
    return Drawn(gain / fan ** 0.5)


def attention(c, name):
    d, heads, depth = c["d_model"], c["num_heads"], c["d_kv"]
    inner = heads * depth
    # Attention does not divide by the square root of the depth.
    scored = Drawn((SCORES / (d * depth ** 0.5)) ** 0.5)
    yield f"{name}.q.weight", [inner, d], scored
    yield f"{name}.k.weight", [inner, d], scored
    yield f"{name}.v.weight", [inner, d], matrix(d)
    yield f"{name}.o.weight", [d, inner], matrix(inner, 2.0)


def feed_forward(c, name):
    d, inner = c["d_model"], c["d_ff"]
    gated = c["feed_forward_proj"].startswith("gated-")
    for part in ("wi_0", "wi_1") if gated else ("wi",):
        yield f"{name}.{part}.weight", [inner, d], matrix(d)
    yield f"{name}.wo.weight", [d, inner], matrix(inner, 2.0)


def stack(c, name, layers, decoder=None):
    """`decoder` is the kind of the last norm of a decoder."""
    d = c["d_model"]
    buckets = c.get("relative_attention_num_buckets", 32)
    for i in range(layers):
        block = f"{name}.block.{i}.layer."
        yield from attention(c, block + "0.SelfAttention")
        if i == 0:
            yield (block + "0.SelfAttention.relative_attention_bias.weight",
                   [buckets, c["num_heads"]], Drawn(1.0))
        if decoder:
            yield from attention(c, block + "1.EncDecAttention")
        last = 2 if decoder else 1
        yield from feed_forward(c, f"{block}{last}.DenseReluDense")
        for part in range(last + 1):
            yield f"{block}{part}.layer_norm.weight", [d], "norm"
    yield f"{name}.final_layer_norm.weight", [d], decoder or "norm"


def tensors(c, beside):
    """`beside` says what the files have beside the tensors that config.json
    implies: "aliases" of tensors, or a "head"."""
    d, vocabulary = c["d_model"], c["vocab_size"]
    tied = c.get("tie_word_embeddings", True) and beside != "head"
    table = Drawn(0.35)
    yield "shared.weight", [vocabulary, d], table
    if beside == "aliases":
        for name in ("encoder", "decoder"):
            yield (f"{name}.embed_tokens.weight", [vocabulary, d],
                   Same("shared.weight", table))
        yield ("decoder.block.0.layer.1.EncDecAttention."
               "relative_attention_bias.weight",
               [c.get("relative_attention_num_buckets", 32), c["num_heads"]],
               Drawn(1.0))
        if tied:
            yield ("lm_head.weight", [vocabulary, d],
                   Same("shared.weight", table))
    yield from stack(c, "encoder", c["num_layers"])
    yield from stack(c, "decoder", c.get("num_decoder_layers",
                                         c["num_layers"]),
                     Drawn(1.0, 6.0) if tied else "norm")
    if not tied:
        yield "lm_head.weight", [vocabulary, d], Drawn(LOGITS / d ** 0.5)


def t5(**more):
    """Keys that the defaults of newer libraries would set are absent."""
    return {"model_type": "t5",
            "architectures": ["T5ForConditionalGeneration"],
            "vocab_size": 67, "d_model": 24, "d_kv": 8, "d_ff": 40,
            "num_layers": 2, "num_heads": 3, "layer_norm_epsilon": 1e-6,
            "feed_forward_proj": "relu", "n_positions": 512,
            "relative_attention_num_buckets": 32, "is_encoder_decoder": True,
            "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0,
            **more}


def flan(**more):
    return t5(**{"feed_forward_proj": "gated-gelu", "num_decoder_layers": 2,
                 "tie_word_embeddings": False,
                 "relative_attention_max_distance": 128, **more})


def case(config, **more):
    return Case(config, tensors, **more)


CASES = {
    "t5": case(t5()),
    # Heads times their depth are neither the width nor a multiple of it.
    "t5_inner": case(t5(num_heads=5, d_kv=6, d_model=20, vocab_size=71),
                     prefix="aliases"),
    "t5_flan": case(flan(num_heads=6, d_kv=8)),
    "t5_mt5": case(flan(model_type="mt5", vocab_size=97, num_heads=7, d_kv=4,
                        architectures=["MT5ForConditionalGeneration"],
                        tokenizer_class="T5Tokenizer"), shards=2),
    "t5_layers": case(flan(num_layers=1, num_decoder_layers=3,
                           feed_forward_proj="gated-silu")),
    "t5_few_layers": case(t5(num_layers=3, num_decoder_layers=1,
                             feed_forward_proj="gelu"), cache=True),
    "t5_buckets": case(t5(relative_attention_num_buckets=12,
                          relative_attention_max_distance=40)),
    "t5_scaled": case(flan(scale_decoder_outputs=True)),
    "t5_not_scaled": case(t5(scale_decoder_outputs=False)),
    # As version 5 of the library writes flan: it ties the heads of all.
    "t5_form5": case(flan(tie_word_embeddings=True,
                          scale_decoder_outputs=False), prefix="head"),
    "t5_bf16": case(flan(num_heads=5), dtype="BF16", prefix="aliases"),
    "t5_f16": case(t5(d_kv=16), dtype="F16", shards=3),
}

LARGE = {
    "flan-t5-small": case(flan(
        vocab_size=32128, d_model=512, d_kv=64, d_ff=1024, num_layers=8,
        num_decoder_layers=8, num_heads=6)),
}
