"""Tests the reference of long sound by examples, computed by hand."""
import numpy as np

import reference_longform as longform
from generation_timestamps import SpecialTokens
from reference_longform import Settings, segments

FIRST = 100  # timestamp


def marked(*parts):
    """Numbers are text, texts such as "1.50" are timestamps."""
    return [FIRST + round(float(part) * 50) if isinstance(part, str) else part
            for part in parts]


def segment_examples():
    """(name, ids, frames of the window, segments, frames to the next one)"""
    pair = marked("0.00", 1, 2, "1.50", "1.60", 3)
    yield ("a pair, and a tail that is thrown away", pair, 3000,
           [(0, 75, pair[:5])], 150)
    two = marked("0.20", 1, "1.00", "1.00", 2, "2.00", "2.10")
    yield ("two pairs", two, 3000, [(10, 50, two[:3]), (50, 100, two[3:7])],
           200)
    single = marked("0.00", 1, "1.00", "1.00", 2, "3.00")
    yield ("text and a timestamp at the end", single, 2500,
           [(0, 50, single[:3]), (50, 150, single[3:])], 2500)
    yield ("no timestamps", [1, 2, 3], 1001, [(0, 500, [1, 2, 3])], 1001)
    last = marked("0.00", 1, "4.00")
    yield "one timestamp at the end", last, 3000, [(0, 200, last)], 3000
    zero = marked("0.00", 1, 2)
    yield "0.00 is no end", zero, 3000, [(0, 1500, zero)], 3000
    yield "nothing", [], 3000, [(0, 1500, [])], 3000


def first_examples():
    """(name, settings, changes of the tokens, first tokens)"""
    yield ("detected", Settings(), {}, [11, 13, 16])
    yield ("a language", Settings(language="en"), {}, [11, 12, 16])
    yield ("a task", Settings(task="translate"), {}, [11, 13, 15])
    yield ("both", Settings(language="de", task="translate"), {}, [11, 13, 15])
    yield ("without timestamps", Settings(timestamps=False), {},
           [11, 13, 16, 20])
    yield ("nothing forced: no task", Settings(), {"forced": []}, [11, 13])
    yield ("a forced language", Settings(), {"forced": [[1, 12]]}, [11, 12])
    yield ("forced without timestamps", Settings(),
           {"forced": [[1, 12], [2, 15], [3, 20]]}, [11, 12, 15])
    yield ("English only", Settings(timestamps=False),
           {"forced": [[1, 20]], "languages": {}, "multilingual": False},
           [11, 20])


def run(checks):
    for name, ids, width, wanted, moved in segment_examples():
        found = segments(ids, width, FIRST)
        checks.that(found == (wanted, moved), f"segments of {name}: {found}")
    special = SpecialTokens(
        10, 11, 20, {"<|en|>": 12, "<|de|>": 13},
        {"translate": 15, "transcribe": 16}, 17, True, [[1, None], [2, 16]],
        [], [])
    for name, settings, changes, wanted in first_examples():
        found = longform.first_tokens(special._replace(**changes), settings,
                                      lambda: 13)[0]
        checks.that(found == wanted, f"first tokens, {name}: {found}")
    for settings, changes in (
            (Settings(language="en"), {"multilingual": False}),
            (Settings(), {"forced": [[1, 12], [3, 20]]})):
        try:
            longform.first_tokens(special._replace(**changes), settings, int)
            checks.that(False, f"{settings} is accepted")
        except longform.Refused:
            checks.that(True, "refused")
    # 100 equal ids of two bytes: zlib makes 12 bytes of them.
    ratio = longform.compression_ratio([7] * 100, 300)
    checks.that(np.isclose(ratio, 200 / 12, rtol=0.1), f"ratio {ratio}")
