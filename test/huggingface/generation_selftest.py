"""Tests the reference itself: examples computed by hand, other formulations
of the warpers, beam search against the enumeration of all texts, and checks
that find each fault of generation_fake.py.
"""
import itertools

import numpy as np

import generation_options as options_of
import generation_scores as scores_of
from generation_options import NEVER, Options
from generation_scores import Row, processed
from generation_search import AN_EOS, BeamSearch, Call, Near, one_path

MINUS = -np.inf


def applied(ids, scores, prompt=None, limit=99, mode="hf-pt", **changes):
    row = Row(ids, len(ids) if prompt is None else prompt, limit)
    return processed(Options(**changes), row, scores, mode)


def processor_examples():
    """(name, the scores, the scores by hand)"""
    s = [2.0, -2.0, 1.0, -1.0]
    yield ("repetition_penalty", applied([0, 1, 1], s, repetition_penalty=2.0),
           [1, -4, 1, -1])
    yield ("encoder_repetition_penalty, the prompt's ids only",
           applied([0, 1, 2], s, prompt=2, encoder_repetition_penalty=2.0),
           [4, -1, 1, -1])
    yield ("no_repeat_ngram of one id", applied(
        [0, 3], s, no_repeat_ngram_size=1), [MINUS, -2, 1, MINUS])
    yield ("no_repeat_ngram of three ids", applied(
        [1, 2, 0, 1, 2], s, no_repeat_ngram_size=3), [MINUS, -2, 1, -1])
    yield ("no_repeat_ngram before it can match", applied(
        [1], s, no_repeat_ngram_size=3), s)
    yield ("encoder_no_repeat_ngram", applied(
        [0, 1, 3, 0], s, prompt=2, encoder_no_repeat_ngram_size=2),
        [2, MINUS, 1, -1])
    yield ("bad words of one and of two ids", applied(
        [1], s, bad_words_ids=[[0], [1, 2], [3, 3]]), [MINUS, -2, 1, -1])
    yield ("a bad word of two ids", applied(
        [0, 1], s, bad_words_ids=[[1, 2]]), [2, -2, MINUS, -1])
    yield ("a bad word that is one eos", applied(
        [0, 1], s, bad_words_ids=[[2], [3]], eos_token_id=[2]),
        [2, -2, 1, MINUS])
    yield ("sequence_bias adds up", applied(
        [0, 1], s, sequence_bias_ids=[[2], [1, 2], [0, 3]],
        sequence_bias=[1.0, 0.5, 9.0]), [2, -2, 2.5, -1])
    yield ("min_length", applied([0] * 4, s, min_length=5, eos_token_id=[0]),
           [MINUS, -2, 1, -1])
    yield ("min_length reached", applied(
        [0] * 5, s, min_length=5, eos_token_id=[0]), s)
    yield ("min_new_tokens", applied(
        [0] * 4, s, prompt=3, min_new_tokens=2, eos_token_id=[0, 2]),
        [MINUS, -2, MINUS, -1])
    yield ("forced_bos", applied([1], s, forced_bos_token_id=3),
           [MINUS, MINUS, MINUS, 0])
    yield ("forced_bos after two ids", applied(
        [1, 1], s, forced_bos_token_id=3), s)
    yield ("forced_eos", applied([1] * 4, s, limit=5,
                                 forced_eos_token_id=[1, 3]),
           [MINUS, 0, MINUS, 0])
    yield ("remove_invalid_values", applied(
        [1], [np.nan, np.inf, MINUS, 1], remove_invalid_values=True),
        [0, scores_of.LARGEST, -scores_of.LARGEST, 1])
    yield ("exponential decay", applied(
        [1] * 5, s, prompt=1, exponential_decay_start=2,
        exponential_decay_factor=2.0, eos_token_id=[0, 1]), [8, 4, 1, -1])
    yield ("exponential decay at its start", applied(
        [1] * 3, s, prompt=1, exponential_decay_start=2,
        exponential_decay_factor=2.0, eos_token_id=[0]), s)
    yield ("suppress and begin_suppress", applied(
        [1], s, suppress_tokens=[0], begin_suppress_tokens=[1]),
        [MINUS, MINUS, 1, -1])
    yield ("begin_suppress waits for forced_bos", applied(
        [1, 1], s, prompt=1, forced_bos_token_id=2,
        begin_suppress_tokens=[1]), [2, MINUS, 1, -1])
    yield ("begin_suppress later", applied(
        [1, 1], s, prompt=1, begin_suppress_tokens=[1]), s)


def warper_examples():
    def sampled(p, **changes):
        with np.errstate(divide="ignore"):
            made = applied([0], np.log(np.array(p)),
                           **{"top_k": 0, **changes, "do_sample": True})
        return np.isfinite(made).astype(float)
    p = [0.1, 0.4, 0.2, 0.25, 0.05]
    yield "top_k", sampled(p, top_k=2), [0, 1, 0, 1, 0]
    yield ("top_k keeps ties", sampled([0.25, 0.4, 0.25, 0.1], top_k=2),
           [1, 1, 1, 0])
    yield "top_p", sampled(p, top_p=0.6), [0, 1, 0, 1, 0]
    yield "top_p below the best", sampled(p, top_p=0.0), [0, 1, 0, 0, 0]
    yield "top_p crosses", sampled(p, top_p=0.7), [0, 1, 1, 1, 0]
    yield "min_p", sampled(p, min_p=0.45), [0, 1, 1, 1, 0]
    # The entropy is 1.415; the distances are .888, .498, .195, .029, 1.581.
    yield "typical_p", sampled(p, typical_p=0.3), [0, 0, 1, 1, 0]
    yield "typical_p keeps one", sampled(p, typical_p=0.2), [0, 0, 0, 1, 0]
    yield "epsilon_cutoff", sampled(p, epsilon_cutoff=0.15), [0, 1, 1, 1, 0]
    yield ("epsilon_cutoff keeps the best", sampled(p, epsilon_cutoff=0.9),
           [0, 1, 0, 0, 0])
    # sqrt(0.5) exp(-1.415) = 0.172
    yield "eta_cutoff", sampled(p, eta_cutoff=0.5), [0, 1, 1, 1, 0]
    yield ("beams keep a token for each eos and one more",
           sampled(p, top_p=0.1, num_beams=2, eos_token_id=[0, 1]),
           [0, 1, 1, 1, 0])
    yield ("temperature and renormalize_logits", np.exp(applied(
        [0], np.log([0.2, 0.8]), do_sample=True, temperature=0.5,
        renormalize_logits=True)), np.array([0.04, 0.64]) / 0.68)


def ascending_top_p(scores, top_p):
    """PyTorch's form: removes while the ascending sum is at most 1 - p."""
    order = np.argsort(scores, kind="stable")
    low = np.cumsum(scores_of.softmax(scores)[order]) <= 1 - top_p
    low[-1] = False
    made = scores.copy()
    made[order[low]] = MINUS
    return made


def table_model(random, vocabulary):
    """Logits that depend on the whole row."""
    def score(rows):
        return np.stack([np.random.default_rng(
            [random, *row]).normal(0, 1.5, vocabulary) for row in rows])
    return score


def enumerated(call, score):
    """The finished texts of all lengths with their scores, best first."""
    eos, prompt, limit = call.options.eos_token_id, call.prompt(), call.limit()
    open_texts, done = [(0.0, tuple(call.ids[0]))], []
    for length in range(prompt, limit):
        longer = []
        for total, ids in open_texts:
            log = scores_of.log_softmax(score([ids])[0]).astype(np.float64)
            for token, p in enumerate(log):
                text = (total + p, ids + (token,))
                ends = token in eos or \
                    length + 1 == limit and call.mode == "hf-pt"
                (done if ends else longer).append(text)
        open_texts = longer
    power = call.options.length_penalty
    return sorted(((total / (len(ids) - prompt) ** power, ids[prompt:])
                   for total, ids in done), reverse=True)


def exhaustive_beams(checks):
    """With more beams than open texts, beam search finds the best ones."""
    compared = 0
    for seed, mode, penalty in itertools.product(
            range(8), ("hf-pt", "hf-tf"), (0.0, 1.0, 2.0)):
        call = Call([[1, 2]], [2], Options(
            max_new_tokens=3, num_beams=50, num_return_sequences=5,
            eos_token_id=[3], length_penalty=penalty, early_stopping=NEVER),
            mode)
        score = table_model(seed, 4)
        try:
            ours = BeamSearch(call, score).texts()
        except Near:
            continue
        compared += 1
        theirs = enumerated(call, score)[:5]
        checks.that(
            [tuple(text.ids) for text in ours] == [ids for _, ids in theirs]
            and np.allclose([text.score for text in ours],
                            [score for score, _ in theirs], rtol=1e-5),
            f"beam search of all texts, {mode}, seed {seed}")
    checks.that(compared > 24, f"only {compared} certain searches")


def small_searches(checks):
    """Searches in a model with probabilities of one's own choice."""
    chain = {1: [0.1, 0.2, 0.3, 0.4], 3: [0.5, 0.3, 0.1, 0.1],
             0: [0.1, 0.1, 0.7, 0.1], 2: [0.6, 0.2, 0.1, 0.1]}

    def score(rows):
        return np.log([chain[row[-1]] for row in rows])
    o = Options(max_new_tokens=3, eos_token_id=[2], pad_token_id=0)
    call = Call([[0, 1], [1, 3]], [1, 2], o)
    found = one_path(call, score)
    checks.that([text.ids for text in found] == [[3, 0, 2], [0, 2]] and
                found[0].reason == AN_EOS, "greedy search by hand")
    # Two beams from 1. Step 1: 3 (.4) and eos (.3) come first, so eos ends
    # with log .3; 3 and 1 (.2) go on. Step 2: 3,0 (.2) and 3,1 (.12) go on.
    # Step 3 ends all: 3,0,2 has .14, 3,1,3 has .048.
    best = BeamSearch(call._replace(ids=[[1]], lengths=[1], options=o.with_(
        num_beams=2, num_return_sequences=2, length_penalty=1.0)),
        score).texts()
    checks.that([text.ids for text in best] == [[3, 0, 2], [3, 1, 3]] and
                np.allclose([text.score for text in best],
                            [np.log(0.14) / 3, np.log(0.048) / 3]),
                f"beam search by hand: {best}")
    best = BeamSearch(call._replace(ids=[[1]], lengths=[1], options=o.with_(
        num_beams=2, num_return_sequences=2, length_penalty=0.0)),
        score).texts()
    checks.that([text.ids for text in best] == [[2], [3, 0, 2]],
                f"beam search without a length penalty: {best}")


def option_examples(checks):
    for name, mode, o, prompt, wanted in (
            ("neither length", "hf-pt", Options(), 7, 27),
            ("neither length, full cache", "hf-pt", Options(), 70, 80),
            ("neither length", "hf-tf", Options(), 7, 20),
            ("max_new_tokens", "hf-tf", Options(max_new_tokens=3), 7, 10),
            ("max_length", "hf-pt", Options(max_length=9), 7, 9),
            ("both", "hf-pt", Options(max_length=9, max_new_tokens=4), 7, 11)):
        found = options_of.length_limit(o, prompt, 80, mode)
        checks.that(found == wanted, f"{name}, {mode}: {found}")
    words = options_of.words([[1], [2, 3, 4]])
    checks.that(words.tolist() == [[-1, -1, 1], [2, 3, 4]], f"words {words}")


def run(checks):
    for name, ours, hand in [*processor_examples(), *warper_examples()]:
        checks.that(np.allclose(ours, hand, rtol=1e-5), f"{name}: {ours}")
    random = np.random.default_rng(5)
    for _ in range(50):
        scores = random.normal(0, 2, 20).astype(np.float32)
        top_p = float(random.uniform(0.05, 0.95))
        ours = scores_of.top_p(Options(top_p=top_p), scores, 1)
        checks.that(np.array_equal(ours, ascending_top_p(scores, top_p)),
                    f"top_p {top_p} in both forms")
    small_searches(checks)
    exhaustive_beams(checks)
    option_examples(checks)
