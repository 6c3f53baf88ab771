// The flags of transcription. Options of the model that text generation also
// has are in GenerationOptions.td.
defm language : Eq<"--", "language", [TranscribeVerb], grp_speech, "NAME",
                   "The language that is spoken: de or german; by default it "
                   "is found in the first 30 s">;
defm task : Eq<"--", "task", [TranscribeVerb], grp_speech, "TASK",
               "transcribe, or translate into English", "transcribe,translate">;
def timestamps : On<"--", "timestamps", [TranscribeVerb], grp_speech,
                    "Cut the text at times; a sound of more than 30 s and "
                    "subtitles always have them">;
defm prompt : Eq<"--", "prompt", [TranscribeVerb], grp_speech, "TEXT",
                 "Text that precedes the sound, such as names that it has">;
def condition_on_prev_tokens
    : On<"--", "condition-on-prev-tokens", [TranscribeVerb], grp_speech,
         "Let the text so far precede each window">;
defm prompt_condition_type
    : Eq<"--", "prompt-condition-type", [TranscribeVerb], grp_speech, "WHICH",
         "With --condition-on-prev-tokens: let --prompt precede the "
         "first-segment or all-segments",
         "first-segment,all-segments">;
defm temperatures
    : Eq<"--", "temperatures", [TranscribeVerb], grp_speech, "X,..",
         "Try these in turn until the text passes the thresholds; above 0 ids "
         "are drawn by their probabilities">;
defm compression_ratio_threshold
    : Eq<"--", "compression-ratio-threshold", [TranscribeVerb], grp_speech, "X",
         "Try the next temperature if the text repeats itself more than this">;
defm logprob_threshold
    : Eq<"--", "logprob-threshold", [TranscribeVerb], grp_speech, "X",
         "Try the next temperature if the mean log-probability is less">;
defm no_speech_threshold
    : Eq<"--", "no-speech-threshold", [TranscribeVerb], grp_speech, "X",
         "Skip a window below --logprob-threshold if the probability of no "
         "speech is more">;
