"""Prints the assembly of a program of benchmarks/callers for a processor.

usage: assembly.py BENCHMARKS SOURCE PROCESSOR
"""
import os
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
import callers

subprocess.run([callers.compiler(), *callers.c_flags(sys.argv[3]), "-S", "-o",
                "-", os.path.join(callers.CALLERS, sys.argv[2])], check=True)
