"""Checks of `result` with the option `output_scores`, and of a context without
a prompt. `that(holds, text)` counts a check."""
import numpy as np

NEW = 8  # tokens


def check(name, artifact, that):
    scores(name, artifact, that)
    no_prompt(name, artifact, that)


def scores(name, artifact, that):
    """A row's score is the sum of its tokens' scores, also if it ends before
    another row."""
    random = np.random.default_rng(5)
    session = artifact.session(rows=2)
    for _ in range(50):
        ids = random.integers(2, 40, (2, 3))
        first, second = run(session, ids, [])["sequences"].tolist()
        ends = [token for token in first[:-1] if token not in second]
        if not ends:
            continue
        made = run(session, ids, ends[:1])
        that(made["lengths"][0] < made["lengths"][1] and
             np.allclose(made["scores"], made["token_scores"].sum(1)),
             f"{name}: scores {made['scores']} of tokens with the scores "
             f"{made['token_scores']}")
        break
    else:
        that(False, f"{name}: no row ends before the other one")
    session.close()


def run(session, ids, ends):
    session.context["start"](
        ids=ids, lengths=np.array([3, 3]), max_new_tokens=NEW, min_length=0,
        eos_token_id=np.array(ends, np.int64), output_scores=True)
    session.context["advance"](steps=NEW)
    made = session.context["result"]()
    return {key: np.array(value) for key, value in made.items()}


def no_prompt(name, artifact, that):
    """A new context refuses what needs a prompt."""
    session = artifact.session()
    for entry in ("advance", "result"):
        try:
            session.context[entry]()
            that(False, f"{name}: {entry} runs without a prompt")
        except session.refusals as refused:
            that("no prompt" in str(refused), f"{name}: {entry}: {refused}")
    session.close()
