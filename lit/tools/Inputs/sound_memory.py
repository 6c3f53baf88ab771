#!/usr/bin/python3
"""sound_memory.py FOLDER COMMAND...: transcribes a sound of a minute and one of
three hours. The second one has 345 MB of samples, and may need 16 MB more."""
import os
import struct
import subprocess
import sys

folder, *command = sys.argv[1:]
peaks = []
for seconds in (60, 3 * 3600):
    path = os.path.join(folder, f"{seconds}.wav")
    size = 32000 * seconds
    with open(path, "wb") as file:
        file.write(b"RIFF" + struct.pack("<I", 36 + size) + b"WAVEfmt " +
                   struct.pack("<IHHIIHH", 16, 1, 1, 16000, 32000, 2, 16) +
                   b"data" + struct.pack("<I", size))
        # The second frame of the last window says 30; the rest is a hole.
        file.seek(44 + size - 32000 * 30 + 320)
        file.write(struct.pack("<h", 30 * 16))
        file.truncate(44 + size)
    process = subprocess.Popen(
        [*command, path, "--print=ids", "--timestamps", "--language=en"],
        stdout=subprocess.PIPE, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    os.unlink(path)
    assert status == 0, status
    assert said.split("]")[-1].strip() == "30", said[-200:]
    peaks.append(usage.ru_maxrss)
print(peaks)
assert peaks[1] < peaks[0] + 16384, peaks
