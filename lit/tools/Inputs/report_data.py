"""report_data.py PAGE: prints the JSON in a page of `tenon inspect --html`, one
key a line. The block must have no markup."""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as page:
    text = page.read()
block, = re.findall(
    r'<script id="data" type="application/json">(.*?)</script>', text, re.S)
assert "<" not in block, block
assert not re.search(r"(src|href)=[\"']?(https?:)?//", text), "a link"
json.dump(json.loads(block), sys.stdout, indent=1, sort_keys=True)
print()
