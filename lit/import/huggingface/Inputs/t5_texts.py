"""Generates with artifacts of T5 beside tokenizer files. Arguments: TENON MODEL,
a folder of a checkpoint; other folders of an artifact t5.so; the program made
of it."""
import json
import subprocess
import sys

PROMPT = "translate: The quick fox"


def said(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


tenon, *models, program = sys.argv[1:]
for model in models:
    folder = model.removesuffix("/t5.so")
    prompt = said(tenon, "tokenize", folder, PROMPT, "--print=ids").split()
    assert prompt[-1] == "1", f"a prompt does not end with </s>: {prompt}"
    for options in (), ("--num-beams=3",):
        call = tenon, "generate", model, "-n", "6", "--format=json", *options
        made = json.loads(said(*call, "-p", PROMPT))["results"]
        by_ids = json.loads(said(
            *call, "--prompt-ids=" + ",".join(prompt)))["results"]
        assert made == by_ids, (made, by_ids)
        text = said(tenon, "tokenize", folder, "--skip-special-tokens",
                    "--decode=" + ",".join(map(str, made[0]["ids"])))
        assert made[0]["text"].strip() == text.strip(), (made, text)
        ids = said(program, "--prompt-ids=" + ",".join(prompt),
                   "--max-new-tokens=6", *options)
        assert ids == " ".join(map(str, made[0]["ids"])), ids
