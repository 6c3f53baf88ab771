"""Random checkpoints of Whisper: 80 and 128 mel bins, multilingual and English
only, fewer layers in the decoder, files of all ages. Small ones are in `CASES`,
models of full size in `LARGE`.

Windows have 3000 frames, and there are 1501 timestamps, as in all models of the
architecture. Positions of the decoder are large beside tokens, so that texts do
not repeat one token.
"""
from checkpoint_case import Case, Drawn, Lowered, Same

LOGITS = 2.5
TIMESTAMPS = 1501
# Small models have few text tokens beside the timestamps, whose scores lie so
# much lower: the probabilities of all timestamps sum up to that of the best
# text token or so.
LOWER = 3.5


def matrix(fan, gain=1.2):
    return Drawn(gain / fan ** 0.5)


def norm(name, d):
    yield name + ".weight", [d], "norm"
    yield name + ".bias", [d], "bias"


def linear(name, shape, gain=1.2, bias=True):
    yield name + ".weight", shape, matrix(shape[1], gain)
    if bias:
        yield name + ".bias", [shape[0]], "bias"


def attention(name, d):
    for part in "qkv":
        # Scores have a spread of two.
        yield from linear(f"{name}.{part}_proj", [d, d],
                          1.2 if part == "v" else 1.4, part != "k")
    yield from linear(name + ".out_proj", [d, d], 2.0)


def stack(c, name, decoder):
    side = "decoder" if decoder else "encoder"
    d, inner = c["d_model"], c[side + "_ffn_dim"]
    for i in range(c[side + "_layers"]):
        layer = f"{name}layers.{i}."
        for part in ("self", "encoder")[:1 + decoder]:
            yield from attention(f"{layer}{part}_attn", d)
            yield from norm(f"{layer}{part}_attn_layer_norm", d)
        yield from linear(layer + "fc1", [inner, d])
        yield from linear(layer + "fc2", [d, inner], 2.0)
        yield from norm(layer + "final_layer_norm", d)
    yield from norm(name + "layer_norm", d)


def tensors(c, beside):
    """`beside` says what differs from the files that the library writes now:
    "no positions" of the encoder, or "head" for a copy of the tied head."""
    d, mels = c["d_model"], c["num_mel_bins"]
    encoder, decoder = "model.encoder.", "model.decoder."
    yield encoder + "conv1.weight", [d, mels, 3], matrix(3 * mels, 2.0)
    yield encoder + "conv1.bias", [d], "bias"
    yield encoder + "conv2.weight", [d, d, 3], matrix(3 * d, 2.0)
    yield encoder + "conv2.bias", [d], "bias"
    if beside != "no positions":
        # No sinusoids: what is stored counts.
        yield (encoder + "embed_positions.weight",
               [c["max_source_positions"], d], Drawn(0.7))
    yield from stack(c, encoder, False)
    shape = [c["vocab_size"], d]
    tokens = Drawn(LOGITS / d ** 0.5)
    if c["vocab_size"] < 2 * TIMESTAMPS:
        tokens = Lowered(tokens, c["vocab_size"] - TIMESTAMPS, LOWER,
                         decoder + "layer_norm.bias", "bias")
    yield decoder + "embed_tokens.weight", shape, tokens
    yield (decoder + "embed_positions.weight",
           [c["max_target_positions"], d], Drawn(1.5))
    yield from stack(c, decoder, True)
    if beside == "head":
        yield ("proj_out.weight", shape,
               Same(decoder + "embed_tokens.weight", tokens))


class Tokens:
    """The ids of a vocabulary: text, end, start, languages, tasks and the other
    special tokens, and last the timestamps."""

    def __init__(self, text, languages):
        self.text, self.end, self.start = text, text, text + 1
        first = text + 2
        self.languages = {f"<|{name}|>": first + i
                          for i, name in enumerate(languages)}
        first += len(languages)
        self.tasks = {"translate": first, "transcribe": first + 1}
        self.start_of_model, self.start_of_previous = first + 2, first + 3
        self.no_speech, self.no_timestamps = first + 4, first + 5
        self.vocabulary = first + 6 + TIMESTAMPS

    def suppressed(self, text):
        """As in the published files: the last but one begins a prompt."""
        return [*text, self.start, *self.tasks.values(), self.start_of_model,
                self.start_of_previous, self.no_speech]


def config(tokens, **more):
    return {"model_type": "whisper",
            "architectures": ["WhisperForConditionalGeneration"],
            "vocab_size": tokens.vocabulary, "num_mel_bins": 80,
            "max_source_positions": 1500, "max_target_positions": 448,
            "activation_function": "gelu", "scale_embedding": False,
            "is_encoder_decoder": True, "bos_token_id": tokens.end,
            "eos_token_id": tokens.end, "pad_token_id": tokens.end,
            "decoder_start_token_id": tokens.start, **more}


def layers(d, encoder, decoder, inner=None):
    """Keys of sizes; `encoder` and `decoder` are pairs of layers and heads."""
    return {"d_model": d, "encoder_ffn_dim": inner or 4 * d,
            "decoder_ffn_dim": 4 * d, "encoder_layers": encoder[0],
            "encoder_attention_heads": encoder[1],
            "decoder_layers": decoder[0],
            "decoder_attention_heads": decoder[1]}


def multilingual(tokens, suppressed, first, **more):
    """generation_config.json; `first` is a token that no text begins with."""
    return {"alignment_heads": [[1, 0]],
            "begin_suppress_tokens": [first, tokens.end],
            "bos_token_id": tokens.end, "eos_token_id": tokens.end,
            "pad_token_id": tokens.end,
            "decoder_start_token_id": tokens.start,
            "forced_decoder_ids": [[1, None],
                                   [2, tokens.tasks["transcribe"]]],
            "is_multilingual": True, "lang_to_id": tokens.languages,
            "max_initial_timestamp_index": 50, "max_length": 448,
            "no_timestamps_token_id": tokens.no_timestamps,
            "prev_sot_token_id": tokens.start_of_previous,
            "return_timestamps": False,
            "suppress_tokens": tokens.suppressed(suppressed),
            "task_to_id": tokens.tasks, "transformers_version": "4.46.0",
            **more}


def english(tokens, suppressed, first, **more):
    made = multilingual(tokens, suppressed, first, is_multilingual=False,
                        forced_decoder_ids=[[1, tokens.no_timestamps]],
                        max_initial_timestamp_index=1, **more)
    del made["lang_to_id"], made["task_to_id"]
    return made


SMALL = Tokens(120, ("en", "de", "fr"))
# The vocabularies of the published models, up to the languages' names.
NAMES = ["en"] + [f"l{i:02}" for i in range(1, 99)]
PUBLISHED = Tokens(50257, NAMES)
SYMBOLS = [1, 2, 7, 8, 9, 10, 14, 25, 26, 27, 28, 29, 31, 58, 59, 60, 61, 62,
           63, 90, 91, 92, 93, 359, 503, 522, 542, 873, 893, 902, 918, 922]


def case(config, **more):
    return Case(config, tensors, **more)


CASES = {
    "whisper": case(config(SMALL, **layers(24, (2, 3), (2, 3))),
                    generation=multilingual(SMALL, [1, 2, 7], 20)),
    # As large-v3-turbo: more bins, few layers in the decoder.
    "whisper_turbo": case(config(
        SMALL, num_mel_bins=128, max_target_positions=96,
        **layers(20, (3, 5), (1, 5))),
        generation=multilingual(SMALL, [3, 9], 21, max_length=96),
        dtype="BF16"),
    "whisper_english": case(config(
        SMALL, max_target_positions=64, **layers(24, (2, 1), (2, 3))),
        prefix="no positions",
        generation=english(SMALL, [5, 6, 7, 8], 22, max_length=64)),
    "whisper_f16": case(config(
        SMALL, num_mel_bins=128, **layers(40, (2, 5), (3, 1), 48)),
        dtype="F16", prefix="head", shards=2,
        generation=multilingual(SMALL, [], 23, max_initial_timestamp_index=None,
                                forced_decoder_ids=None)),
    # As the first files: config.json has all.
    "whisper_old": case(config(
        SMALL, max_target_positions=80, max_length=80,
        suppress_tokens=SMALL.suppressed([4]),
        begin_suppress_tokens=[24, SMALL.end],
        forced_decoder_ids=[[1, SMALL.languages["<|de|>"]],
                            [2, SMALL.tasks["translate"]],
                            [3, SMALL.no_timestamps]],
        **layers(24, (1, 3), (2, 3)))),
}


def published(d, depth, heads):
    return case(config(PUBLISHED, **layers(d, (depth, heads), (depth, heads))),
                generation=multilingual(PUBLISHED, SYMBOLS, 220))


LARGE = {
    "whisper-tiny": published(384, 4, 6),
    "whisper-small": published(768, 12, 12),
}
