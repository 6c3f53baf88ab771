"""set_key.py FILE KEY [VALUE]: sets a key of a JSON file to a value in JSON, or removes it. The value range:N is the list of the
integers from 0 to N - 1."""
import json
import sys

path, key, *value = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    members = json.load(file)
members.pop(key, None)
if value:
    kind, _, count = value[0].partition(":")
    members[key] = list(range(int(count))) if kind == "range" else \
        json.loads(value[0])
with open(path, "w", encoding="utf-8") as file:
    json.dump(members, file)
