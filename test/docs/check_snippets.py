#!/usr/bin/python3
"""Tests that the commands in README.md and docs/*.md work as they stand.

Each page is followed in a new folder that has `build`, `examples` and a stand-in
for what `./quickstart run` leaves in build/digits. C programs become the files
that the page's `cc` lines name. Then the blocks run in order, those marked
`console` in one shell: every command ends well unless the page shows its error,
and says the lines that the page shows, in their order, whatever their numbers;
`...` stands for any. A block that cannot run has a comment before it,
`<!-- not run: WHY -->`; there are few.

An excerpt of IR is a block marked `mlir` after the command that prints it,
`<!-- from: tenon compile MODEL --stop-after=PHASE -->`. Its lines follow one
another in what the command prints; a line `...` stands for any lines, `...` in a
line for any characters, and values (`%3`) may have any name."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
LANGUAGES = ("c", "cmake", "console", "python")
BLOCK = re.compile(r"^(?:<!-- not run: ([^\n]+) -->\n)?```(\w+)\n(.*?)^```$",
                   re.M | re.S)
EXCERPT = re.compile(r"^(?:<!-- from: ([^\n]+) -->\n)?```mlir\n(.*?)^```$",
                     re.M | re.S)
MOST_NOT_RUN = 5
DIGITS = """ir_version: 8
opset_import { domain: "" version: 13 }
graph {
  name: "digits"
  node { input: "image" output: "flat" op_type: "Flatten" }
  node { input: "flat" input: "w" output: "scores" op_type: "MatMul" }
  initializer { name: "w" dims: 64 dims: 10 data_type: 1 %s }
  input { name: "image" type { tensor_type { elem_type: 1 shape {
    dim { dim_param: "batch" } dim { dim_value: 1 } dim { dim_value: 8 }
    dim { dim_value: 8 } } } } }
  output { name: "scores" type { tensor_type { elem_type: 1 shape {
    dim { dim_param: "batch" } dim { dim_value: 10 } } } } }
}
""" % " ".join(f"float_data: {i % 7}" for i in range(640))


def make_digits(folder):
    """A model of the shape of digits, because training takes too long."""
    os.makedirs(folder)
    text = os.path.join(folder, "digits.onnxtxt")
    with open(text, "w") as file:
        file.write(DIGITS)
    subprocess.run(["/usr/bin/python3",
                    os.path.join(SOURCE, "lit/Inputs/onnx_text.py"), text,
                    "-o", os.path.join(folder, "digits.onnx")], check=True)
    subprocess.run(["/usr/bin/python3",
                    os.path.join(SOURCE, "lit/Inputs/npy.py"),
                    os.path.join(folder, "image.npy"), "f32", "1x1x8x8",
                    *map(str, range(64))], check=True)


def make_checkpoints(folder):
    """Small checkpoints in place of the reader's."""
    script = os.path.join(SOURCE, "test/huggingface/write_checkpoints.py")
    for case, name in (("gpt2", "gpt2"), ("llama3", "llama3")):
        subprocess.run(["/usr/bin/python3", script, case,
                        os.path.join(folder, name)], check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(["/usr/bin/python3",
                    os.path.join(SOURCE, "lit/Inputs/t5_checkpoint.py"),
                    os.path.join(folder, "t5")], check=True)


def make_place(folder, build):
    """A folder like a reader's clone after ./quickstart run, with checkpoints."""
    make_checkpoints(folder)
    os.symlink(os.path.join(SOURCE, "examples"),
               os.path.join(folder, "examples"))
    make_digits(os.path.join(folder, "build", "digits"))
    for name in os.listdir(build):
        if name != "digits":
            os.symlink(os.path.join(build, name),
                       os.path.join(folder, "build", name))


def commands(block):
    """Pairs (command, lines that the page shows after it)."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.strip():
            found[-1][1].append(line)
    return found


def plain(line):
    return re.sub(r"\d+(\.\d+)?", "N", " ".join(line.split()))


def missing(shown, said):
    """The first line that the page shows and the command did not print."""
    rest = iter(map(plain, said.splitlines()))
    for line in shown:
        if line != "..." and not any(plain(line) in other for other in rest):
            return line
    return None


def run_console(block, shell_state, folder, environment):
    """The errors of a block. shell_state keeps the shell's folder and
    variables."""
    for command, shown in commands(block):
        script = (f"{shell_state.get('script', '')}\n{command}\n"
                  "status=$?\n(cd; declare -p PATH PKG_CONFIG_PATH PYTHONPATH "
                  "2>/dev/null) >\"$STATE\"\necho \"cd '$PWD'\" >>\"$STATE\"\n"
                  "exit $status\n")
        state = os.path.join(folder, ".state")
        done = subprocess.run(["bash", "-c", script], cwd=folder, text=True,
                              stdout=subprocess.PIPE, timeout=600,
                              stderr=subprocess.STDOUT,
                              env={**environment, "STATE": state})
        with open(state) as file:
            shell_state["script"] = file.read()
        fails = any("error:" in line for line in shown)
        if (done.returncode != 0) != fails:
            yield (f"$ {command}\nended with status {done.returncode}:\n"
                   f"{done.stdout[-2000:]}")
            return
        line = missing(shown, done.stdout)
        if line:
            yield f"$ {command}\ndid not say '{line}' but\n{done.stdout[-2000:]}"


def nameless(line):
    """A line of IR with all its values named alike."""
    return re.sub(r"%[\w#:-]+", "%", " ".join(line.split()))


def expression(shown):
    """What matches a line of IR that is shown as `shown`."""
    return re.compile(".*".join(map(re.escape, nameless(shown).split("..."))))


def excerpt_missing(shown, printed):
    """The first part of an excerpt, up to a line `...`, that is not printed."""
    lines = [nameless(line) for line in printed.splitlines()]
    parts = re.split(r"^\s*\.\.\.$\n?", shown, flags=re.M)
    at = 0
    for part in filter(str.strip, parts):
        wanted = [expression(line) for line in part.splitlines()]
        while at + len(wanted) <= len(lines) and not all(
                want.fullmatch(line) for want, line in zip(wanted, lines[at:])):
            at += 1
        if at + len(wanted) > len(lines):
            return part
        at += len(wanted)
    return None


def check_excerpts(excerpts, folder, environment):
    """Complaints about excerpts of IR; each command runs once."""
    printed = {}
    for command, shown in excerpts:
        if not command:
            yield f"an excerpt has no command before it:\n{shown}"
            continue
        if command not in printed:
            done = subprocess.run(command, shell=True, cwd=folder, text=True,
                                  env=environment, timeout=600,
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            printed[command] = done.stdout
        part = excerpt_missing(shown, printed[command])
        if part:
            yield f"{command}\ndoes not print, after the parts before it:\n{part}"


def check_page(page, build, home):
    """The errors of one page, and the number of its blocks that do not run."""
    with open(os.path.join(SOURCE, page)) as file:
        text = file.read()
    blocks = [block for block in BLOCK.findall(text) if block[1] in LANGUAGES]
    excerpts = EXCERPT.findall(text)
    complaints = []
    with tempfile.TemporaryDirectory(prefix="tenon-docs-") as folder:
        if blocks or excerpts:
            make_place(folder, build)
        environment = {
            "HOME": home, "LC_ALL": "C.UTF-8",
            "TENON_CACHE_DIR": os.path.join(folder, ".cache"),
            "PATH": f"{build}/bin:/usr/bin:/bin",
            "PYTHONPATH": f"{build}/python"}
        names = re.findall(r"\bcc .*?(\w+\.c)\b", "\n".join(
            text for why, kind, text in blocks if kind == "console"))
        programs = [text for _, kind, text in blocks
                    if kind == "c" and "int main(" in text]
        if names and not programs:
            # The block names the C program that it is.
            with open(os.path.join(SOURCE, "docs/runtime.md")) as file:
                programs = [text for _, kind, text in BLOCK.findall(file.read())
                            if kind == "c"]
        for name, program in zip(dict.fromkeys(names), programs):
            with open(os.path.join(folder, name), "w") as file:
                file.write(program)
        shell_state = {}
        for why, kind, text in blocks:
            if why or kind in ("c", "cmake"):
                continue
            if kind == "console":
                complaints += run_console(text, shell_state, folder, environment)
            else:
                done = subprocess.run(["/usr/bin/python3", "-c", text],
                                      cwd=folder, text=True, timeout=600,
                                      stdout=subprocess.PIPE, env=environment,
                                      stderr=subprocess.STDOUT)
                if done.returncode != 0:
                    complaints.append(f"{text}{done.stdout[-2000:]}")
        complaints += check_excerpts(excerpts, folder, environment)
    return complaints, sum(bool(why) for why, _, _ in blocks)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("pages", nargs="*")
    options = parser.parse_args()
    pages = options.pages or ["README.md"] + sorted(
        "docs/" + name for name in os.listdir(os.path.join(SOURCE, "docs"))
        if name.endswith(".md"))
    failed, not_run = 0, 0
    home = tempfile.mkdtemp(prefix="tenon-docs-home-")
    try:
        for page in pages:
            complaints, left_out = check_page(page, os.path.abspath(options.build),
                                              home)
            not_run += left_out
            for complaint in complaints:
                failed += 1
                print(f"{page}: {complaint}")
    finally:
        shutil.rmtree(home)
    if not_run > MOST_NOT_RUN:
        failed += 1
        print(f"{not_run} blocks do not run, expected at most {MOST_NOT_RUN}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
