"""Finds words of our prose that docs/glossary.md replaces by a term of the field.

Prose is a page's text without code, a source's comments and string literals,
and all of a script. The table of the glossary and the expressions below are
held to one another: each quoted phrase is found, each expression finds one.
"""
import os
import re

# Where the rule holds.
FOLDERS = ("README.md", "benchmarks/", "cmake/", "compiler/", "dialects/",
           "docs/", "examples/", "lit/", "passes/", "python/", "quickstart",
           "runtime/", "test/", "tokenizers/", "tools/")
NOT = ("docs/glossary.md", "test/house/plain_words.py")
GLOSSARY = "docs/glossary.md"

# Expression, suggestion. A space stands for any white space, line breaks too.
WORDS = [
    (r"\bleft over\b", "remainder"),
    (r"\bfetch(?:es|ed|ing)?(?: \w+){0,3} ahead\b", "prefetch"),
    (r"\bpast the caches\b", "non-temporal store"),
    (r"\b(?:a?live|lives) at (?:one|the same) time\b", "lifetimes overlap"),
    (r"\b(?:buffer|tensor|value)'s (?:life|lives)\b", "lifetime"),
    (r"\b(?:buffer|state|tensor|value|weight) lives\b|"
     r"\b(?:buffers|states|tensors|values|weights) live (?:in|on|from|until)\b",
     "'is stored in', or lifetime"),
    (r"\bgreatest scores?\b", "row maximum"),
    (r"\bhidden (?:keys?|scores?)\b", "masked keys"),
    (r"\bkept sums?\b|\bsums kept\b", "accumulators or partial sums"),
    (r"\bfelt\b", "'has an effect' or 'changes the result'"),
    (r"(?<!condition)(?<!conditions)(?<!requirement)(?<!requirements) "
     r"(?:is|are|was|were) met\b", "'reached', 'read', 'equal'"),
    (r"\bmeets? (?:all|every|each) \w+", "'reads', 'is multiplied by'"),
    (r"\bmakes? meet\b", "'combines'"),
    (r"\b(?:extents|inputs|sides|operands|dims|lanes)(?: that)? meet\b",
     "'are combined', 'must be equal'"),
    (r"\bdear(?:er|est)?\b", "'expensive', 'costs more'"),
    (r"\bsorted lines?\b|\bline is sorted\b|\btasks are lines\b",
     "rows along the sorted axis"),
    (r"\bragged (?:ends?|rows?|edges?)\b", "remainder or partial vector"),
    (r"\band (?:its|their) (?:kin|like)\b", "'and similar ops'"),
    (r"\btold (?:together|at once)\b", "'reported in one message'"),
    (r"\bblock's powers\b|\bsums? of powers\b", "exponentials"),
    (r"\b(?:first|second) cache\b(?! (?:entry|hit|line|lookup))", "L1, L2"),
    (r"\blines? of the cache\b|\bcache's lines?\b", "cache line"),
    (r"\bshow(?:s|n)? in the run\b", "'known only at run time'"),
    (r"\bdrawn weights\b|\bweights (?:are|were) drawn\b", "random weights"),
    (r"\bNVIDIA devices?\b", "'NVIDIA GPU'"),
    (r"\bsome \d[\d.,]*(?![\d-])", "'about'"),
    (r"\bwhoever\b", "'anyone who', 'a caller that'"),
    (r"(?-i:[.;:] Who) (?:is|has|wants|opens|keeps|cannot|makes|asks)\b",
     "'a caller that'"),
    (r"\bwould else\b", "'would otherwise'"),
    (r"(?-i:\bOf) (?:all|an?|both|each|equal|few|many|one|several|so|such|the|"
     r"these|those|three|two|what)\b", "a sentence that starts with its subject"),
    (r"\bwhat of\b", "'the part of'"),
]
PATTERNS = [(re.compile(expression.replace(" ", r"\s+"), re.I), instead)
            for expression, instead in WORDS]


def blanked(text):
    """White space with the line ends of `text`. It is short, for an expression
    that begins with white space takes quadratic time on a long run of it."""
    return re.sub(r"[^\n]+", " ", text)


def prose(path, text):
    """`text` with everything that is no prose blanked."""
    if path.endswith(".md"):
        return re.sub(r"^```.*?^```|`[^`\n]*`", lambda m: blanked(m[0]), text,
                      flags=re.M | re.S)
    if not path.endswith((".h", ".c", ".cpp", ".td", ".mlir", ".py")):
        return re.sub(r"^\s*#", lambda m: blanked(m[0]), text, flags=re.M)
    kept, end = [], 0
    spoken = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\[\{.*?\}\]'
    if path.endswith(".py"):
        spoken = r'#[^\n]*|""".*?"""|"(?:\\.|[^"\\\n])*"'
    for found in re.finditer(spoken, text, re.S):
        kept.append(blanked(text[end:found.start()]))
        # The marks of comments would part a phrase that goes on a line later.
        kept.append(re.sub(r"^[/\s*!#]*|\"", lambda m: blanked(m[0]),
                           found[0], flags=re.M))
        end = found.end()
    return "".join(kept) + blanked(text[end:])


def phrases(glossary):
    """The quoted phrases of the table of replaced words."""
    table = glossary.split("## Words we replaced")[1].split("\n\n")[2]
    for row in table.splitlines()[2:]:
        yield from re.findall(r'"([^"]+)"', row.split("|")[1])


def complaints(files, read, folders=FOLDERS):
    with_example = set()
    for phrase in phrases(read(GLOSSARY)):
        found = {n for n, (p, _) in enumerate(PATTERNS) if p.search(phrase)}
        with_example |= found
        if not found:
            yield f"{GLOSSARY}: no expression finds \"{phrase}\""
    for number, (expression, _) in enumerate(WORDS):
        if number not in with_example:
            yield f"{GLOSSARY}: no phrase is found by {expression}"
    for path in files:
        if not path.startswith(folders) or path.startswith(NOT):
            continue
        if path.endswith((".svg", ".onnx", ".npy", ".pb")):
            continue
        text = prose(path, read(path))
        for pattern, instead in PATTERNS:
            for found in pattern.finditer(text):
                number = text.count("\n", 0, found.start()) + 1
                said = " ".join(found[0].split())
                yield f"{path}:{number}: \"{said}\"; use {instead}"
