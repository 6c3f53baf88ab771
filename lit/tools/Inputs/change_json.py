"""change_json.py FROM TO PLACE VALUE: copies a JSON file and replaces one value.
PLACE has keys and numbers, as in `values.0.name`; VALUE is JSON, also 1e999."""
import json
import sys

source, target, place, value = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    data = json.load(file)
*path, last = [int(part) if part.isdigit() else part
               for part in place.split(".")]
holder = data
for part in path:
    holder = holder[part]
holder[last] = "the value"
with open(target, "w", encoding="utf-8") as file:
    file.write(json.dumps(data).replace('"the value"', value))
