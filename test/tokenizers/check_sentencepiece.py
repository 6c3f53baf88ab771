#!/usr/bin/python3
"""Compares spiece.model files with the sentencepiece library on random and
adversarial strings. The files are trained by its tools, the Debian package
`sentencepiece`. Without them, or Node, the status is 77: skipped."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True,
                        help="the program tokenizer-cases")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("kind", nargs="*")
    options = parser.parse_args()
    for tool in ("node", "spm_train", "spm_encode", "spm_decode",
                 "spm_export_vocab"):
        if not shutil.which(tool):
            print(f"no {tool} (apt-get install nodejs sentencepiece): skipped")
            return 77
    with tempfile.TemporaryDirectory(prefix="tenon-sentencepiece-") as folder:
        subprocess.run(
            ["node", os.path.join(HERE, "make_sentencepiece_cases.mjs"),
             folder, f"--count={options.count}", *options.kind], check=True)
        return subprocess.run(
            [options.program, *sorted(e.path for e in os.scandir(folder))],
            check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
