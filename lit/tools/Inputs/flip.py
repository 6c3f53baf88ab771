"""flip.py FILE HEX: flips a bit of the first of the bytes HEX where FILE has them last."""
import sys

path, wanted = sys.argv[1], bytes.fromhex(sys.argv[2])
with open(path, "r+b") as file:
    at = file.read().rindex(wanted)
    file.seek(at)
    file.write(bytes([wanted[0] ^ 1]))
