"""Checks the mean log-probability of texts that are drawn at a temperature: it is
that of the model's scores before the temperature. Texts differ from those of a
reference, so the reference judges the library's own."""
import numpy as np

import reference_longform as longform
from generation_options import Options
from reference_longform import Settings

SECONDS, TOKENS = 5, 6
TEMPERATURES = (0.25, 0.6, 1.5)


def check(model, transcriber, checks):
    random = np.random.default_rng(7)
    special = model.special
    for temperature in TEMPERATURES:
        sound = 0.3 * random.standard_normal(16000 * SECONDS).astype(np.float32)
        settings = Settings(
            timestamps=False, temperatures=(temperature,), log_probability=-99,
            options=Options(max_new_tokens=TOKENS, top_k=0,
                            suppress_tokens=special.suppressed,
                            begin_suppress_tokens=special.begin_suppressed))
        made = transcriber.run(sound, settings, {
            "max_new_tokens": TOKENS, "top_k": 0, "seed": 3})
        ids = list(made.segments[0].ids)
        if len(ids) < TOKENS:
            ids.append(special.end)
        reference = longform.Transcription(model, sound, settings)
        wanted = longform.mean_log_probability(
            model, reference.call(0, 0.0), ids, 0.0)
        checks.that(np.isclose(made.judged[0].mean, wanted, rtol=1e-3),
                    f"{ids} drawn at {temperature}: mean log-probability "
                    f"{made.judged[0].mean}, expected {wanted}")
        model.forget_all()
