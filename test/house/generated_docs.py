#!/usr/bin/python3
"""Generates the reference pages from the tables: run it to write
docs/generated.

There is one page for the dialect and one for each room of passes. `stale`
compares without writing, for the lint.
"""
import os
import re
import subprocess

TBLGEN = "/usr/lib/llvm-22/bin/mlir-tblgen"


def pages(source):
    """Yields (page, text) for every table in the tree."""
    def made(generator, table, *extra):
        done = subprocess.run(
            [TBLGEN, generator, *extra, "-I/usr/lib/llvm-22/include",
             f"-I{source}", f"-I{source}/{os.path.dirname(table)}",
             f"{source}/{table}"], capture_output=True, text=True)
        if done.returncode != 0:
            return f"mlir-tblgen failed on {table}: {done.stderr.strip()}\n"
        lines = [line.rstrip() for line in done.stdout.splitlines()]
        return "\n".join(lines).strip() + "\n"

    ops = "dialects/tenon/AllOps.td"
    if os.path.exists(f"{source}/{ops}"):
        yield "dialect.md", made("-gen-dialect-doc", ops, "-dialect=tenon")
    rooms = f"{source}/passes"
    for room in sorted(os.listdir(rooms)):
        table = f"passes/{room}/Passes.td"
        if os.path.exists(f"{source}/{table}"):
            yield f"passes-{room}.md", \
                f"# Passes of {room}\n\n" + made("-gen-pass-doc", table)


def stale(source):
    folder = f"{source}/docs/generated"
    wanted = dict(pages(source))
    there = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    again = "run test/house/generated_docs.py"
    for name, text in wanted.items():
        if text.startswith("mlir-tblgen failed"):
            yield text.splitlines()[0]
        elif name not in there:
            yield f"docs/generated/{name}: missing; {again}"
        else:
            with open(f"{folder}/{name}") as page:
                if page.read() != text:
                    yield f"docs/generated/{name}: out of date; {again}"
    for name in sorted(there - set(wanted)):
        if re.search(r"\.md$", name):
            yield f"docs/generated/{name}: made from nothing; {again}"


def main():
    source = os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))))
    folder = f"{source}/docs/generated"
    os.makedirs(folder, exist_ok=True)
    wanted = dict(pages(source))
    for name in os.listdir(folder):
        if name not in wanted:
            os.remove(f"{folder}/{name}")
    for name, text in wanted.items():
        with open(f"{folder}/{name}", "w") as page:
            page.write(text)
        print(f"docs/generated/{name}")


if __name__ == "__main__":
    main()
