"""Contrastive search, as in the last library of Transformers that had it: each
step computes the best candidates one step ahead and takes the one whose hidden
value is like none of its context. Pads never count.
"""
import numpy as np

import generation_scores as scores_of
from generation_scores import Near, apart


def similar(hidden):
    """The greatest cosine of the last value with one before it."""
    unit = hidden / np.linalg.norm(hidden, axis=-1, keepdims=True)
    return (unit[:-1] @ unit[-1]).max()


def candidates(scores, count):
    """The most probable tokens and their probabilities."""
    order = np.argsort(-scores, kind="stable")
    if count < len(order):
        apart(scores[order[count - 1]], scores[order[count]])
    # One NaN makes NaN of all probabilities. The order of tokens without
    # probability is not certain.
    if scores_of.GAP and (np.isnan(scores).any() or
                          not np.isfinite(scores[order[:count]]).all()):
        raise Near
    return order[:count], scores_of.softmax(scores)[order[:count]]


def chosen(call, model, row, ids, scores):
    tokens, p = candidates(scores, min(call.options.top_k, len(scores)))
    alpha = call.options.penalty_alpha
    hidden = model.hidden([call.key(row, ids + [int(token)])
                           for token in tokens])
    values = [(1 - alpha) * each - alpha * similar(candidate)
              for each, candidate in zip(p, hidden)]
    order = np.argsort(-np.array(values), kind="stable")
    if len(order) > 1:
        apart(values[order[0]], values[order[1]])
    return int(tokens[order[0]])


def paths(call, model):
    """The new ids of each row, and the sum of their scores."""
    for row, ids in enumerate(call.ids):
        ids, total = list(ids), 0.0
        while len(ids) < call.limit() and (
                len(ids) == call.prompt() or
                ids[-1] not in call.options.eos_token_id):
            scores = scores_of.processed(
                call.options, call.row(row, ids),
                model([call.key(row, ids)])[0], call.mode,
                call.mask(len(ids) - call.prompt(), row))
            token = chosen(call, model, row, ids, scores)
            total += float(scores_of.log_softmax(scores)[token])
            ids.append(token)
        yield ids[call.prompt():], total
