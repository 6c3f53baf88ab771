#!/usr/bin/python3
"""The house rules as tests: each rule reads the committed tree and names what breaks it.

A rule is a generator of complaints; no complaint is a pass. Rules about files
that the build makes (the dialect's examples) are skipped when the tool that
reads them has not been built.
"""
import argparse
import ast
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import annotations
import examples
import generated_docs
import plain_words as plain
import rooms

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
CODE = (".h", ".c", ".cpp", ".td")


class Skip(Exception):
    pass


def committed():
    """The files that git tracks or would track; without a repository all
    files."""
    listing = subprocess.run(
        ["git", "-c", f"safe.directory={SOURCE}", "ls-files", "--cached",
         "--others", "--exclude-standard"],
        cwd=SOURCE, capture_output=True, text=True)
    files = listing.stdout.splitlines()
    if listing.returncode != 0:
        for folder, inner, names in os.walk(SOURCE):
            inner[:] = [d for d in inner if d not in ("build", "__pycache__")]
            files += [os.path.relpath(os.path.join(folder, n), SOURCE)
                      for n in names]
    return [f for f in files if os.path.isfile(os.path.join(SOURCE, f))]


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8",
              errors="replace") as text:
        return text.read()


def code_files(*folders):
    return [f for f in FILES if f.endswith(CODE) and
            (not folders or f.startswith(folders))]


def includes(path):
    return re.findall(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', read(path), re.M)


def included():
    """The code files of all layers with the headers that each includes."""
    return {path: includes(path)
            for path in code_files("dialects/", "passes/", "compiler/",
                                   "runtime/", "tokenizers/", "tools/")}


def layering(options):
    """arrows of docs/architecture.md never turn back"""
    yield from rooms.layer_complaints(included())


def room_sizes(options):
    """no room of passes/cpu has more than 25 files"""
    yield from rooms.size_complaints(code_files("passes/"))


def compiler_rooms(options):
    """a room of compiler/ includes the rooms that the table gives it"""
    yield from rooms.compiler_complaints(included())


def secrets(options):
    """each kind of knowledge lives in one place"""
    only = [
        (r"llvm/IR/Module\.h", ("compiler/codegen/", "compiler/pipeline/",
                                "compiler/artifact/")),
        (r"llvm/Support/CommandLine\.h", ("tools/",)),
        (r"llvm/Option/", ("tools/",)),
        (r"passes/.*", ("passes/", "compiler/pipeline/", "tools/tenon-opt/",
                        "tools/tenon-lsp-server/", "tools/tenon-reduce/",
                        "test/")),
        (r"onnx/onnx.*pb\.h|google/protobuf/.*", ("compiler/import/",
                                                  "compiler/wire/", "test/",
                                                  "tools/tenon/")),
    ]
    for path in code_files("dialects/", "passes/", "compiler/", "runtime/",
                           "tokenizers/", "tools/"):
        for header in includes(path):
            for pattern, homes in only:
                if re.fullmatch(pattern + r".*", header) and \
                        not path.startswith(homes):
                    yield f"{path}: includes {header}, known only to " + \
                        ", ".join(homes)
        if path.startswith(("runtime/", "tokenizers/")):
            for header in includes(path):
                if re.match(r"(llvm|mlir|clang)", header):
                    yield f"{path}: includes {header}"


def comments_stripped(path):
    """The text without comments; strings become empty, line ends stay."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'

    def blank(match):
        found = match.group(0)
        return '""' if found[0] == '"' else "\n" * found.count("\n")
    return re.sub(pattern, blank, read(path), flags=re.S)


def quiet_libraries(options):
    """nothing outside tools/ exits, aborts, prints or reads the environment"""
    words = (r"(?<![\w.>:])(?:std::)?(?:exit|abort|_exit|quick_exit)\s*\(",
             r"\berrs\(\)", r"\bouts\(\)", r"std::c(?:err|out)\b",
             r"(?<![\w.>:])(?:f?printf|puts|perror)\s*\(",
             r"\bcl::opt\b", r"report_fatal_error\s*\(")
    for path in code_files("dialects/", "passes/", "compiler/", "runtime/",
                           "tokenizers/"):
        if not path.endswith((".h", ".c", ".cpp")):
            continue
        for number, line in enumerate(
                comments_stripped(path).splitlines(), 1):
            for word in words:
                if re.search(word, line):
                    yield f"{path}:{number}: {line.strip()}"


def kebab_case(name):
    """`ConvertToLLVM` is convert-to-llvm."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-",
                  name).lower()


def pass_names(options):
    """a pass, its file, its flag and its test have one name"""
    rooms = [f for f in FILES if re.fullmatch(r"passes/\w+/Passes\.td", f)]
    for table in rooms:
        folder = os.path.dirname(table)
        defined = re.findall(
            r'^def\s+(\w+)\s*:\s*Pass<\s*"([^"]+)"', read(table), re.M)
        for name, flag in defined:
            stem = re.sub(r"Pass$", "", name)
            kebab = kebab_case(stem)
            if flag != f"tenon-{kebab}":
                yield f"{table}: {name} has the flag {flag}"
            if f"{folder}/{stem}.cpp" not in FILES:
                yield f"{table}: {name} has no {folder}/{stem}.cpp"
            elif f"GEN_PASS_DEF_{stem.upper()}" not in \
                    read(f"{folder}/{stem}.cpp"):
                yield f"{folder}/{stem}.cpp: does not define the pass {stem}"
            test = f"lit/{folder}/{kebab}.mlir"
            if test not in FILES:
                yield f"{table}: {name} has no test {test}"
            elif f"--{flag}" not in read(test):
                yield f"{test}: does not run --{flag}"


def dialect_tests(options):
    """every family of the dialect has a round-trip test and an error test"""
    for path in FILES:
        family = re.fullmatch(r"dialects/tenon/(\w+)\.td", path)
        if not family or family[1] in ("AllOps", "TenonBase", "TenonOps"):
            continue
        if not re.search(r"^def .*(Op|Annotation)\b", read(path), re.M):
            continue
        kebab = kebab_case(family[1])
        for test in (f"{kebab}.mlir", f"{kebab}-errors.mlir"):
            if f"lit/dialects/tenon/{test}" not in FILES:
                yield f"{path}: has no lit/dialects/tenon/{test}"


def annotations_declared(options):
    """an attribute between passes is declared once, with writers and readers"""
    yield from annotations.complaints(
        {path: read(path) for path in code_files("dialects/", "passes/",
                                                 "compiler/", "tools/")})


def labels_tested(options):
    """every labelled constraint has a function @op_cN that breaks it"""
    tests = "".join(read(f) for f in FILES
                    if re.fullmatch(r"lit/dialects/tenon/.*-errors\.mlir", f))
    page = dict(generated_docs.pages(SOURCE)).get("dialect.md", "")
    for section in re.split(r"^#+ (?=`tenon\.)", page, flags=re.M)[1:]:
        op = re.match(r"`tenon\.(\w+)`", section)[1]
        for number in sorted(set(re.findall(r"\(C(\d+)\)", section))):
            if f"@{op}_c{number}" not in tests:
                yield f"tenon.{op}: (C{number}) has no @{op}_c{number}"


def lit_run_lines(options):
    """every text test runs something and checks something"""
    for path in FILES:
        if not path.startswith("lit/") or "/Inputs/" in path or \
                not path.endswith((".mlir", ".test", ".c")):
            continue
        text = read(path)
        if "RUN:" not in text:
            yield f"{path}: has no RUN line"
        if "XFAIL" in text:
            yield f"{path}: an expected failure is not a test"
        prefixes = set(re.findall(r"--check-prefix(?:es)?[= ]([\w,-]+)", text))
        if re.search(r"\bFileCheck\b", text) and not prefixes and \
                not re.search(r"\bCHECK(-\w+)*:", text):
            yield f"{path}: calls FileCheck without a CHECK line"
        for group in prefixes:
            for prefix in group.split(","):
                if not re.search(rf"\b{prefix}(-[A-Z]+)*(\{{\w+\}})?:", text):
                    yield f"{path}: no line has the prefix {prefix}"


def file_sizes(options):
    """no source over 800 lines, no file over 1 MB, tenon-opt under 40 lines"""
    for path in FILES:
        if os.path.getsize(os.path.join(SOURCE, path)) > 1 << 20:
            yield f"{path}: over 1 MB"
        if path.endswith(CODE + (".py", ".mjs", ".cmake", ".txt", ".sh")):
            lines = read(path).count("\n")
            if lines > 800:
                yield f"{path}: {lines} lines"
    for path in FILES:
        if re.fullmatch(r"tools/tenon-opt/\w[\w-]*\.cpp", path):
            lines = read(path).count("\n")
            if lines >= 40:
                yield f"{path}: {lines} lines"


def source_order(options):
    """targets list their sources by name, folders last"""
    for path in FILES:
        if os.path.basename(path) != "CMakeLists.txt":
            continue
        for call in re.findall(r"^\s*\w+\(([^()]*)\)", read(path), re.M):
            sources = [word for word in call.split()
                       if re.fullmatch(r"[\w/-]+\.(cpp|c)", word)]
            for before, after in zip(sources, sources[1:]):
                if ("/" in before, before) > ("/" in after, after):
                    yield f"{path}: {after} stands after {before}"


def openings(options):
    """a source opens with what comes in and what is true afterwards"""
    for path in FILES:
        if path.endswith(CODE) and not path.startswith("lit/"):
            if not re.match(r"//|/\*", read(path)):
                yield f"{path}: does not open with a comment"
        if path.endswith(".py") and not re.match(r'(#!.*\n)?("""|#)',
                                                 read(path)):
            yield f"{path}: does not open with a comment"


def python_parses(options):
    """every Python file can be read by the Python that runs the tests"""
    for path in FILES:
        if not path.endswith(".py"):
            continue
        try:
            ast.parse(read(path))
        except (SyntaxError, ValueError) as mistake:
            line = getattr(mistake, "lineno", None) or 1
            yield f"{path}:{line}: {getattr(mistake, 'msg', mistake)}"


def guards(options):
    """header guards spell the path"""
    for path in code_files():
        if not path.endswith(".h") or path.startswith("cmake/"):
            continue
        want = "TENON_" + re.sub(r"\W", "_", path).upper()
        if not re.search(rf"^#ifndef {want}\n#define {want}\n", read(path),
                         re.M):
            yield f"{path}: expected the guard {want}"


def words(options):
    """no name without an idea, no note to self, no path of one machine"""
    for path in FILES:
        stem = os.path.splitext(os.path.basename(path))[0]
        if path.endswith(CODE) and \
                re.search(r"(Util(s|ities)?|Helpers?|Common|Manager)$", stem):
            yield f"{path}: the name says nothing"
    banned = [r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b", r"\bX" + r"XX\b",
              "/wo" + "rk/", "bad-inp" + r"uts\.md", "must s" + "how",
              "code" + r"gen\.md", "shared/" + "spec", "shared/" + "design",
              "Clau" + "de", "Anthro" + "pic"]
    pattern = re.compile("|".join(banned))
    for path in FILES:
        if path == "LICENSE":
            continue
        for number, line in enumerate(read(path).splitlines(), 1):
            if pattern.search(line):
                yield f"{path}:{number}: {line.strip()[:100]}"


def links(options):
    """links between our pages lead somewhere"""
    for path in FILES:
        if not path.endswith(".md"):
            continue
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", read(path)):
            if re.match(r"[a-z]+:", target):
                continue
            full = os.path.normpath(os.path.join(os.path.dirname(path),
                                                 target))
            if not os.path.exists(os.path.join(SOURCE, full)):
                yield f"{path}: {target} does not exist"


def plain_words(options):
    """our prose uses the terms of docs/glossary.md"""
    yield from plain.complaints(FILES, read)


def licence(options):
    """the licence is the one README names"""
    if "Apache License" not in read("LICENSE") or \
            "LLVM" not in read("LICENSE"):
        yield "LICENSE: not Apache-2.0 with the LLVM exception"


def bad_rows(options):
    """every row of test/bad/rows.txt names tests that exist"""
    path = "test/bad/rows.txt"
    tests = set()
    for source in FILES:
        if re.fullmatch(r"test/.*\.cpp", source):
            tests |= {f"{suite}.{name}" for suite, name in re.findall(
                r"^TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\)", read(source), re.M)}
    last = ("", 0)
    for number, line in enumerate(read(path).splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        row = re.fullmatch(r"([A-Z])(\d+) \| ([^|]+) \| ([^|]+)", line)
        if not row:
            yield f"{path}:{number}: expected 'ROW | what it is | tests'"
            continue
        here = (row[1], int(row[2]))
        if here <= last:
            yield f"{path}:{number}: {row[1]}{row[2]} comes after its place"
        # In the section on processes only some rows are ours to test.
        follows = here[1] == (last[1] + 1 if here[0] == last[0] else 1)
        if here[0] != "H" and not follows:
            yield f"{path}:{number}: rows before {row[1]}{row[2]} are missing"
        last = here
        if row[4].startswith("- "):
            continue
        for test in row[4].split():
            file, _, word = test.partition(":")
            held = test in tests or file in FILES and re.search(
                rf"\b{word}\b" if word else "", read(file))
            if not held:
                yield f"{path}:{number}: there is no test {test}"


def docs_fresh(options):
    """docs/generated is what the tables say"""
    yield from generated_docs.stale(SOURCE)


def ods_examples(options):
    """every op's example parses"""
    tool = os.path.join(options.build, "bin", "tenon-opt")
    if not os.path.exists(tool):
        raise Skip("tenon-opt is not built")
    yield from examples.complaints(SOURCE, tool)


RULES = [layering, room_sizes, compiler_rooms, secrets, quiet_libraries,
         pass_names, dialect_tests, annotations_declared, labels_tested, lit_run_lines, file_sizes,
         source_order, openings, python_parses, guards, words, plain_words, links, licence, bad_rows,
         docs_fresh, ods_examples]


def main():
    global FILES
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build"))
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("rule", nargs="*")
    options = parser.parse_args()
    FILES = committed()
    passed = failed = skipped = 0
    for rule in RULES:
        if options.rule and rule.__name__ not in options.rule:
            continue
        try:
            found = sorted(set(rule(options)))
        except Skip as why:
            print(f"skip  {rule.__name__}: {why}")
            skipped += 1
            continue
        if found:
            failed += 1
            print(f"FAIL  {rule.__name__}: {rule.__doc__}")
            print("\n".join(f"      {line}" for line in found))
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
