#!/usr/bin/python3
"""Compares the tokenizers with Hugging Face's own library on random and
adversarial strings, for each kind of file. The library is the npm package
`tokenizers`; --fetch downloads it. Without it the status is 77: skipped."""
import argparse
import os
import subprocess
import sys
import tempfile

PACKAGE = "tokenizers@0.23.2"
HERE = os.path.dirname(os.path.abspath(__file__))


def loads(folder):
    """True if Node can load the package in `folder`."""
    try:
        return subprocess.run(
            ["node", "-e", "require(process.argv[1])",
             os.path.join(folder, "node_modules", "tokenizers")],
            capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--program", help="the program tokenizer-cases")
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kind", nargs="*")
    options = parser.parse_args()
    peers = os.path.join(os.path.abspath(options.build), "peers")
    program = options.program or os.path.join(options.build, "bin",
                                              "tokenizer-cases")
    if options.fetch and not loads(peers):
        os.makedirs(peers, exist_ok=True)
        subprocess.run(["npm", "install", "--prefix", peers,
                        "--ignore-scripts", "--no-audit", "--no-fund",
                        "--no-save", "--silent", PACKAGE], check=True)
    if not loads(peers):
        print(f"no npm package {PACKAGE} in {peers} "
              f"({os.path.relpath(__file__)} --build=BUILD --fetch "
              "downloads it): skipped")
        return 77
    with tempfile.TemporaryDirectory(prefix="tenon-tokenizers-") as folder:
        subprocess.run(["node", os.path.join(HERE, "make_cases.mjs"), peers,
                        folder, f"--count={options.count}",
                        f"--seed={options.seed}", *options.kind], check=True)
        return subprocess.run(
            [program, *sorted(e.path for e in os.scandir(folder))],
            check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
