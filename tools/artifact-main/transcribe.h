/* Writes down the speech of a WAV file with a model that has the entry
 * `features` beside those of generation. */
#ifndef TENON_TOOLS_ARTIFACT_MAIN_TRANSCRIBE_H
#define TENON_TOOLS_ARTIFACT_MAIN_TRANSCRIBE_H

/* True if the model has these entries. */
int can_transcribe(void);

/* Runs the command line and returns the exit status. */
int transcribe_main(int argc, char **argv);

#endif /* TENON_TOOLS_ARTIFACT_MAIN_TRANSCRIBE_H */
