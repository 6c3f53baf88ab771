"""A sentence that espeak-ng speaks goes through each way from a sound file to
text: the library, the command, which converts its rate, and a program made of
the model. Small random models write down nonsense, which must be the
reference's."""
import json
import os
import shutil
import subprocess
import wave

import numpy as np

import reference_longform as longform
from check_checkpoints import PRECISION
from generation_options import Options
from generation_scores import Near
from reference_longform import Settings

SENTENCE = "The quick brown fox jumps over the lazy dog."
RATE = 16000
TOKENS = 12


def can_speak():
    if shutil.which("espeak-ng"):
        return True
    print("SKIP the spoken sentence: install espeak-ng", flush=True)
    return False


def speak(path):
    """The samples of the sentence and their rate."""
    subprocess.run(["espeak-ng", "-w", path, SENTENCE], check=True)
    with wave.open(path) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return samples / 32768, file.getframerate()


def write(path, samples):
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(np.round(samples * 32768).astype("<i2").tobytes())


def resampled(samples, rate):
    """At 16 kHz, by its spectrum; rounded as a file of 16 bits has them."""
    count = len(samples) * RATE // rate
    spectrum = np.fft.rfft(samples)[:count // 2 + 1]
    made = np.fft.irfft(spectrum, count) * count / len(samples)
    return (np.round(np.clip(made, -1, 0.999) * 32768) / 32768).astype(
        np.float32)


def output(checks, *command):
    done = subprocess.run(command, capture_output=True, text=True)
    checks.that(done.returncode == 0, f"{command}: {done.stderr}")
    return done


def check(build, source, artifact, of, folder):
    """`of` has the model, its name, what runs it, and the counts."""
    checks, special = of.checks, of.model.special
    tenon = os.path.join(build, "bin", "tenon")
    path, converted = (os.path.join(folder, name + ".wav")
                       for name in ("spoken", "converted"))
    samples, rate = speak(path)
    seconds = len(samples) / rate
    done = output(checks, tenon, "transcribe", artifact, path, "--format=json",
                  f"--max-new-tokens={TOKENS}")
    told = json.loads(done.stdout or "{}")
    checks.that(told.get("segments") and told["segments"][0]["ids"] and
                abs(told["seconds"] - seconds) < 0.01 and
                f"{rate} Hz converted to {RATE} Hz" in done.stderr,
                f"{of.name}: spoken sentence: {done.stderr} {told}")
    samples = resampled(samples, rate)
    write(converted, samples)
    settings = Settings(timestamps=False, options=Options(
        max_new_tokens=TOKENS, suppress_tokens=special.suppressed,
        begin_suppress_tokens=special.begin_suppressed))
    try:
        wanted = longform.transcribe(of.model, samples, settings)
        of.compare(samples, settings, {"max_new_tokens": TOKENS}, wanted)
    except Near:
        wanted = of.run(samples, settings, {"max_new_tokens": TOKENS})
    finally:
        of.model.forget_all()
    ids = " ".join(map(str, wanted.segments[0].ids))
    program = os.path.join(folder, "write")
    output(checks, tenon, "compile", source, "--emit=exe", "-o", program, "-q",
           *PRECISION)
    for command in ([tenon, "transcribe", artifact, converted, "--print=ids"],
                    [program, converted, "--ids"]):
        made = output(checks, *command, f"--max-new-tokens={TOKENS}").stdout
        checks.that(made.strip() == ids,
                    f"{of.name}: {command} wrote {made}, expected {ids}")
