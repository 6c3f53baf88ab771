"""Turns the examples of the dialect's reference page into programs that must
parse.

An example names its operands freely. Each is put into a function whose
arguments have these names. Their types come from the parser: it prints the
type that it expected if an argument has the wrong one.
"""
import math
import re
import subprocess

import generated_docs

UNKNOWN = "!tenon_example.unknown"


def snippets(source):
    """Yields (op, text) for every example on the generated page."""
    page = dict(generated_docs.pages(source)).get("dialect.md", "")
    op = ""
    inside, lines = False, []
    for line in page.splitlines():
        heading = re.match(r"#+ `(tenon\.\w+)`", line)
        if heading:
            op = heading[1]
        if line.strip() == "```mlir":
            inside, lines = True, []
        elif inside and line.strip() == "```":
            inside = False
            yield op, "\n".join(lines)
        elif inside:
            lines.append(line)


def free_names(text):
    """SSA names that are used but not defined; `%x#1` counts as `%x`."""
    defined = set()
    for left in re.findall(r"^\s*((?:%[\w$.-]+(?::\d+)?\s*,?\s*)+)=", text,
                           re.M):
        defined |= set(re.findall(r"%[\w$.-]+", left))
    for block in re.findall(r"\^\w+\(([^)]*)\)", text):
        defined |= set(re.findall(r"(%[\w$.-]+)\s*:", block))
    defined |= set(re.findall(r"(%[\w$.-]+) = ", text))
    seen = []
    for name in re.findall(r"%[\w$.-]+", text):
        if name not in defined and name not in seen:
            seen.append(name)
    return seen


def is_top_level(text):
    return re.match(r"\s*(tenon\.weight\b|tenon\.state |tenon\.context_extent\b|"
                    r"func\.func\b|module\b)", text)


def byte_size(kind):
    """The bytes of a static tensor type in MLIR's notation."""
    *dims, element = re.match(r"tensor<(.*)>", kind)[1].split("x")
    return math.prod(map(int, dims)) * int(re.sub(r"\D", "", element)) // 8


def program(text, types):
    if is_top_level(text):
        return text
    symbols = ""
    for name, kind in re.findall(r"tenon\.get_weight @(\w+)\s*:\s*(\S+)",
                                 text):
        symbols += f'tenon.weight @{name} : {kind} from ' \
            f'#tenon.source<"model.onnx", 0, {byte_size(kind)}>\n'
    for name, kind in re.findall(
            r"tenon\.state_\w+ @(\w+)(?:,\s*%\w+)?\s*:\s*(\S+)", text):
        symbols += f"tenon.state @{name} : {kind}\n"
    for name in re.findall(r"tenon\.get_extent @(\w+)", text):
        symbols += f"tenon.context_extent @{name} 1 to 1 default 1\n"
    for name in re.findall(r"tenon\.state_offset @(\w+)", text):
        symbols += "tenon.context_extent @rows 1 to 1 default 1\n" \
            f"tenon.state @{name} : tensor<?xf32> extents [@rows]\n"
    args = ", ".join(f"{n}: {t}" for n, t in types.items())
    return f"{symbols}func.func @example({args}) {{\n{text}\n  return\n}}"


def run(tool, text):
    return subprocess.run([tool, "--allow-unregistered-dialect"], input=text,
                          capture_output=True, text=True, timeout=600).stderr


def complaint(tool, op, text):
    types = {name: UNKNOWN for name in free_names(text)}
    said = ""
    for _ in range(len(types) + 1):
        said = run(tool, program(text, types))
        wrong = re.search(r"use of value '(%[\w$.-]+)' expects different type "
                          r"than prior uses: '(.*)' vs '", said)
        if not wrong or wrong[1] not in types:
            break
        types[wrong[1]] = wrong[2]
    if "error:" not in said:
        return None
    first = next(line for line in said.splitlines() if "error:" in line)
    return f"{op}: its example does not parse: " + \
        first.split("error:", 1)[1].strip()


def complaints(source, tool):
    exampled = set()
    for op, text in snippets(source):
        exampled |= set(re.findall(r"tenon\.\w+", text))
        found = complaint(tool, op, text)
        if found:
            yield found
    page = dict(generated_docs.pages(source)).get("dialect.md", "")
    for op in re.findall(r"^#+ `(tenon\.\w+)`", page, re.M):
        if op not in exampled:
            yield f"{op}: has no example"
