"""Tests the checks: they pass on the fake of generation_fake.py, and each
fault that is put into it makes the check fail that shall find it.
"""
import contextlib
import io
import tempfile

import write_checkpoints
from generation_checks import ModelCheck
from generation_fake import FAULTS, FakeArtifact
from generation_options import MODES
from generation_reference import Model


class FewRuns:
    texts, calls, draws, cancelled, sampled, rules = 6, 16, 600, 12, 8, 1


class Failed(Exception):
    pass


class FirstFailure:
    """Checks that end with the first one that fails."""
    passed = 0

    def that(self, holds, text):
        if not holds:
            raise Failed(text)
        return holds


def first_failure(model, mode, fault, names):
    """What the first check says that fails on the fake, of checks of these
    names; None if all pass."""
    check = ModelCheck("fake", model,
                       lambda threads: FakeArtifact(model, fault, threads),
                       mode, FirstFailure(), FewRuns)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            for name in names:
                getattr(check, name)()
    except Failed as failed:
        return str(failed)
    return None


def run(checks):
    with tempfile.TemporaryDirectory() as folder:
        model = Model(write_checkpoints.write(
            write_checkpoints.CASES["gpt2"], folder))
        for mode in MODES:
            said = first_failure(model, mode, None, ModelCheck.CHECKS)
            checks.that(said is None, f"{mode}: the fake fails: {said}")
        for fault, name in FAULTS.items():
            checks.that(first_failure(model, MODES[0], fault, [name]),
                        f"no check of {name} finds the fault {fault}")
