"""The dialect's annotations, held to one declaration each.

Annotations.h spells their names, Annotations.td says who writes and reads
them. No other source spells such a name, and the sources that use an accessor
are the ones that the declaration lists.
"""
import os
import re

HEADER = "dialects/tenon/Annotations.h"
TABLE = "dialects/tenon/Annotations.td"


def camel_case(key):
    """`num_inputs` is numInputs."""
    head, *rest = key.split("_")
    return head + "".join(word.capitalize() for word in rest)


def declared(table):
    """{key: (writers, readers)} as the table has them."""
    found = {}
    pattern = r'Tenon_Annotation<"(\w+)",[^\[]*\[([^\]]*)\],\s*\[([^\]]*)\]>'
    for key, *lists in re.findall(pattern, table):
        found[key] = tuple(set(re.findall(r'"(\w+)"', names))
                           for names in lists)
    return found


def used(sources):
    """{accessor: (writers, readers)} by the stems of the sources."""
    found = {}
    for path, text in sources.items():
        stem = os.path.splitext(os.path.basename(path))[0]
        uses = r"\bannotation::(\w+)((?:\s*\.\s*\w+)?)"
        for accessor, call in re.findall(uses, text):
            writers, readers = found.setdefault(accessor, (set(), set()))
            method = call.strip(" .\n")
            if method in ("of", "ofResult", "isOn"):
                readers.add(stem)
            elif method in ("set", "setCount", "setResult"):
                writers.add(stem)
            elif method != "removeFrom":
                # A key or the annotation itself: the declaration says which.
                writers.add(stem + "?")
                readers.add(stem + "?")
    return found


def differences(said, done):
    """Names on one side alone; a name with `?` is allowed and not demanded."""
    allowed = {name.rstrip("?") for name in done}
    certain = {name for name in done if not name.endswith("?")}
    return sorted(certain - said), sorted(said - allowed)


def complaints(texts):
    """`texts` are the sources of dialects/, passes/, compiler/ and tools/."""
    table = declared(texts[TABLE])
    header = dict(re.findall(r'(\w+)\{\s*"tenon\.(\w+)"\}', texts[HEADER]))
    keys = set(header.values())
    for key in sorted(keys ^ set(table)):
        yield f"{HEADER} and {TABLE}: only one of them has tenon.{key}"
    for accessor, key in header.items():
        if accessor != camel_case(key):
            yield f"{HEADER}: the accessor of tenon.{key} is {accessor}"
    for path, text in texts.items():
        if path not in (HEADER, TABLE):
            for key in re.findall(r'"tenon\.(\w+)"', text):
                if key in keys:
                    yield f'{path}: spells "tenon.{key}"'
    sources = {path: text for path, text in texts.items() if path != HEADER}
    uses = used(sources)
    for key, lists in table.items():
        done = uses.get(camel_case(key), (set(), set()))
        for verb, said, names in zip(("writes", "reads"), lists, done):
            missing, idle = differences(said, names)
            for stem in missing:
                yield f"{TABLE}: {stem} {verb} tenon.{key} and is not listed"
            for stem in idle:
                yield f"{TABLE}: {stem} is listed and never {verb} tenon.{key}"
