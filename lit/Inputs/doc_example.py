#!/usr/bin/python3
"""doc_example.py PAGE.md N: the Nth C program of a page, from 1."""
import re
import sys

page, number = sys.argv[1:]
with open(page) as text:
    programs = [block for block in re.findall(r"^```c\n(.*?)^```", text.read(), re.M | re.S) if "int main(" in block]
sys.stdout.write(programs[int(number) - 1])
