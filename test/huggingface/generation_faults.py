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


def failed(model, mode, fault, names, checks):
    """How many checks of these names fail on the fake."""
    counted = type(checks)()
    check = ModelCheck("fake", model,
                       lambda threads: FakeArtifact(model, fault, threads),
                       mode, counted, FewRuns)
    with contextlib.redirect_stdout(io.StringIO()):
        for name in names:
            getattr(check, name)()
    return counted.failed


def run(checks):
    with tempfile.TemporaryDirectory() as folder:
        model = Model(write_checkpoints.write(
            write_checkpoints.CASES["gpt2"], folder))
        for mode in MODES:
            wrong = failed(model, mode, None, ModelCheck.CHECKS, checks)
            checks.that(wrong == 0, f"the fake fails {wrong} checks, {mode}")
        for fault, name in FAULTS.items():
            checks.that(failed(model, MODES[0], fault, [name], checks) > 0,
                        f"no check of {name} finds the fault {fault}")
