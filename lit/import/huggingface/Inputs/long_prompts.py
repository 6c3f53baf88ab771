"""Runs a command with prompts around a model's last position, the 80th."""
import json
import subprocess
import sys


def run(length):
    ids = ",".join(["3"] * length)
    return subprocess.run(
        [*sys.argv[1:], f"--prompt-ids={ids}", "-n", "100", "--eos-token-id=",
         "--format=json"], capture_output=True, text=True)


for length, made in ((1, 79), (78, 2), (79, 1), (80, 0)):
    done = run(length)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)["results"][0]
    assert (len(result["ids"]), result["reason"]) == (made, "length"), result
for length in (81, 800):
    done = run(length)
    assert done.returncode == 8 and not json.loads(done.stdout)["results"], done
    assert (f"the call needs {length} positions, the model allows up to 80"
            in done.stderr), done.stderr
