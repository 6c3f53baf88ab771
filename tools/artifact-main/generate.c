/* Each sequence is a line. */
#include "generate.h"

#include "option_value.h"
#include "program.h"
#include "runtime/tenon_generate.h"
#include "settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  program_flags flags;
  int has_scores;
  tenon_prompt *prompts;
  size_t num_prompts;
  setting *settings;
  int num_settings;
} command;

int can_generate(void) {
  return find_function("start") && find_function("advance") &&
         find_function("result");
}

static int help(const char *program) {
  const tenon_model_desc *model = tenon_artifact_model;
  printf(
      "usage: %s --prompt-ids=1,2,3 [--OPTION=VALUE]...\n\n"
      "Continues prompts with the model %s, made by %s from %s.\n"
      "Prompts and results are token ids: the program has no tokenizer, and\n"
      "`tenon tokenize` makes ids of a text. Each result is one line.\n\n"
      "  --prompt-ids=1,2,3    a prompt; several are generated together\n"
      "  --scores              adds a tab, the reason of the end, a tab and\n"
      "                        the score to each line\n",
      program, model->name, model->compiler, model->source);
  program_print_flags(22);
  puts("  --function=NAME       runs one function of the model instead; its\n"
       "                        flags: --function=NAME --help\n\n"
       "The options of the model:\n");
  print_settings();
  return fflush(stdout) == 0 ? TENON_OK : TENON_IO;
}

static int add_prompt(command *c, const char *text) {
  static const tenon_tensor_desc ids = {
      .name = "ids", .dtype = TENON_I64, .rank = 1};
  option_value value;
  const char *expected = read_option_value(text, &ids, &value);
  c->prompts[c->num_prompts++] = (tenon_prompt){value.data, value.count};
  return expected ? wrong_value("--prompt-ids", "ids with commas", text)
                  : TENON_OK;
}

/* Some models score a text only if an option asks for it. */
static void add_scores(command *c) {
  char *flag[] = {"--output-scores"};
  int at = 0;
  c->has_scores = 1;
  c->settings[c->num_settings] = find_setting(flag, 1, &at);
  c->num_settings += c->settings[c->num_settings].option != NULL;
}

static int read_arguments(command *c, int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const char *argument = argv[i], *value;
    int status = TENON_OK;
    if ((value = program_flag(argv, argc, &i, "--prompt-ids")))
      status = add_prompt(c, value);
    else if (program_read_flags(argv, argc, &i, &c->flags, &status))
      ;
    else if (strcmp(argument, "--scores") == 0)
      add_scores(c);
    else if ((c->settings[c->num_settings] = find_setting(argv, argc, &i))
                 .option)
      ++c->num_settings;
    else
      status = program_usage_error("unknown argument", argument);
    if (status != TENON_OK)
      return status;
  }
  if (c->num_prompts > 0)
    return TENON_OK;
  program_fail(TENON_USAGE, "", "expected a prompt");
  fputs("  help: pass --prompt-ids=1,2,3; `tenon tokenize` makes ids of a "
        "text\n",
        stderr);
  return TENON_USAGE;
}

static tenon_status set_option(void *state, const tenon_tensor *value) {
  return tenon_generator_set(state, value);
}

static const char *text_of(void *state) { return tenon_generator_text(state); }

static void print_id(size_t at, int64_t id) {
  printf("%s%" PRId64, at ? " " : "", id);
}

/* Shows the first sequence of a single prompt while it is made; `state` is the
 * number of its ids that are shown. */
static tenon_token_answer show(void *state, size_t sequence, int64_t id) {
  size_t *shown = state;
  if (sequence > 0)
    return TENON_GO_ON;
  print_id((*shown)++, id);
  return fflush(stdout) == 0 ? TENON_GO_ON : TENON_STOP_ALL;
}

static void print_sequences(const tenon_generator *generator, size_t shown,
                            int has_scores) {
  for (size_t i = 0; i < tenon_generator_num_sequences(generator); ++i) {
    tenon_sequence sequence;
    tenon_generator_get_sequence(generator, i, &sequence);
    for (size_t at = i ? 0 : shown; at < sequence.count; ++at)
      print_id(at, sequence.ids[at]);
    if (has_scores)
      printf("\t%s\t%.9g",
             sequence.reason == TENON_REASON_EOS      ? "eos"
             : sequence.reason == TENON_REASON_LENGTH ? "length"
             : sequence.reason == TENON_REASON_NONE   ? "cancelled"
                                                      : "stop",
             (double)sequence.score);
    putchar('\n');
  }
}

static int generate(const command *c, tenon_generator *generator) {
  for (int i = 0; i < c->num_settings; ++i) {
    int status = apply_setting(&c->settings[i], generator, set_option, text_of);
    if (status != TENON_OK)
      return status;
  }
  size_t shown = 0;
  tenon_generation call = {.struct_size = sizeof call,
                           .prompts = c->prompts,
                           .num_prompts = c->num_prompts,
                           .on_token = c->num_prompts == 1 ? show : NULL,
                           .on_token_state = &shown,
                           .timeout_ns = c->flags.deadline};
  tenon_status status = tenon_generator_run(generator, &call);
  /* A call that ended at its deadline has sequences too. */
  print_sequences(generator, shown, c->has_scores);
  if (status != TENON_OK) {
    if (shown > 0 && tenon_generator_num_sequences(generator) == 0)
      putchar('\n');
    fflush(stdout);
    return program_fail(status, "", tenon_generator_text(generator));
  }
  return fflush(stdout) == 0 && !ferror(stdout)
             ? TENON_OK
             : program_fail(TENON_IO, "", "cannot write the results");
}

static int open_and_generate(const command *c) {
  char why[1024] = "";
  tenon_model *model;
  tenon_generator *generator;
  tenon_generator_options making = {.struct_size = sizeof making,
                                    .error_text = why,
                                    .error_text_bytes = sizeof why};
  int status = program_open(&c->flags, &model);
  if (status != TENON_OK)
    return status;
  status = tenon_generator_create(model, &making, &generator);
  if (status == TENON_OK) {
    status = generate(c, generator);
    tenon_generator_destroy(generator);
  } else {
    program_fail(status, "", why);
  }
  tenon_close(model);
  return status;
}

int generate_main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      return help(argv[0]);
  command c = {0};
  c.prompts = calloc((size_t)argc + 1, sizeof *c.prompts);
  c.settings = calloc((size_t)argc + 1, sizeof *c.settings);
  int status = TENON_LIMIT;
  if (!c.prompts || !c.settings)
    program_fail(TENON_LIMIT, "", "out of memory");
  else if ((status = read_arguments(&c, argc, argv)) == TENON_OK)
    status = open_and_generate(&c);
  for (size_t i = 0; i < c.num_prompts; ++i)
    free((void *)(uintptr_t)c.prompts[i].ids);
  free(c.prompts);
  free(c.settings);
  return status;
}
