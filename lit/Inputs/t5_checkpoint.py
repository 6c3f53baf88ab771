"""Writes a checkpoint of T5 with as many tokens as the tokenizers of the tests
have, and one of them beside it. Argument: the folder."""
import os
import shutil
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
sys.path.append(os.path.join(SOURCE, "test/huggingface"))
import t5_checkpoints
import write_checkpoints

folder = sys.argv[1]
write_checkpoints.write(
    t5_checkpoints.case(t5_checkpoints.flan(vocab_size=800)), folder)
shutil.copy(os.path.join(SOURCE, "test/tokenizers/golden/t5/tokenizer.json"),
            folder)
