/* Generates text with a model that has the entries start, advance and result:
 * prompts of ids in, new ids out. */
#ifndef TENON_TOOLS_ARTIFACT_MAIN_GENERATE_H
#define TENON_TOOLS_ARTIFACT_MAIN_GENERATE_H

/* True if the model has these entries. */
int can_generate(void);

/* Runs the command line and returns the exit status. */
int generate_main(int argc, char **argv);

#endif /* TENON_TOOLS_ARTIFACT_MAIN_GENERATE_H */
