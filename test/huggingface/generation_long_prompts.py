"""Prompts of several hundred tokens, which `start` computes in parts of columns:
the logits of rows whose last tokens lie in different parts, their bits alone,
where other parts are made, and after kept columns; and texts of contrastive
search.
"""
import numpy as np

import write_checkpoints
from checkpoint_case import Case
from generation_artifact import extents_of, play
from generation_bits import same_row
from generation_checks import ALLOWED, compare
from generation_options import Options
from generation_reference import rows_at
from generation_search import Near

POSITIONS = 700
WIDTH = 600  # three parts of 200
LENGTHS = (WIDTH, 1, 200, 201, 400)
KEPT = 290  # a part and a half


def longer(case):
    """The case with more positions."""
    config = dict(case.config)
    for key in ("n_positions", "max_position_embeddings"):
        if key in config:
            config[key] = POSITIONS
    return Case(config, case.tensors_of, case.dtype, case.prefix, case.shards)


CASES = {name: longer(case) for name, case in (
    ("opt_350m", write_checkpoints.CASES["opt_350m"]),
    ("llama3", write_checkpoints.CASES["llama3"]),
    ("t5", write_checkpoints.T5["t5"]))}


def check(name, model, opened, that):
    random = np.random.default_rng(len(name))
    artifact = opened(1)
    draw = model.draw(random, "hf-pt")
    ids = [[5] * (WIDTH - n) + draw.ids(n, n) for n in LENGTHS]
    call = draw.given(ids, list(LENGTHS), Options(max_new_tokens=2))
    session = artifact.session(len(LENGTHS))
    said = play(session, call, with_logits=True)
    errors(name, model, call, said, that)
    kept = play(session, call, keep=KEPT, with_logits=True)
    for row in range(len(LENGTHS)):
        that(same_row(kept, row, said, row), f"{name}: row {row}, {KEPT} kept")
    session.close()
    contrastive(name, model, artifact, draw, that)
    for row in range(len(LENGTHS)):
        pads = call.pads(row)
        single = call._replace(ids=[ids[row][pads:]], lengths=[LENGTHS[row]],
                               encoder=call.encoder[row:row + 1])
        session = artifact.session(1)
        that(same_row(play(session, single, with_logits=True), 0, said, row),
             f"{name}: row {row} of {LENGTHS[row]} tokens alone")
        session.close()
    artifact.close()
    threads = opened(2)
    session = threads.session(len(LENGTHS))
    again = play(session, call, with_logits=True)
    that(all(same_row(again, row, said, row) for row in range(len(LENGTHS))),
         f"{name}: two threads")
    session.close()
    threads.close()


def contrastive(name, model, artifact, draw, that):
    """Contrastive search compares with the hidden values of a whole prompt,
    which is one part then."""
    wanted = None
    while wanted is None:
        ids = [[5] * (WIDTH - n) + draw.ids(n, n) for n in LENGTHS[:3]]
        call = draw.given(ids, list(LENGTHS[:3]), Options(
            max_new_tokens=4, penalty_alpha=0.6, top_k=3))
        try:
            wanted = model.texts(call)
        except Near:
            continue
    session = artifact.session(**extents_of(call))
    holds = compare(call, play(session, call), wanted)
    that(holds is None, f"{name}, contrastive: {holds}")
    session.close()


def errors(name, model, call, said, that):
    ours, theirs = [], []
    for step, logits in enumerate(said.logits):
        keys = rows_at(call, said.texts, step)
        rows = list(keys.values())
        exact = model(rows)
        ours.append(logits[list(keys)] - exact)
        theirs += [single - exact for single in model.single(rows)]
    mine, other = (np.abs(np.concatenate(part)).max()
                   for part in (ours, theirs))
    that(mine <= ALLOWED * other,
         f"{name}: error of logits {mine:.3g}, PyTorch's {other:.3g}")
