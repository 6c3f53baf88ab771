/* Each segment is a line, printed when it ends. The model's tables may have the
 * text of each id; otherwise the line has ids. */
#include "transcribe.h"

#include "generate.h"
#include "program.h"
#include "runtime/tenon_transcribe.h"
#include "settings.h"
#include "wav.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *sound;
  const char *language, *task;
  program_flags flags;
  int has_times, wants_ids;
  setting *settings;
  int num_settings;
} command;

/* The text of the ids: for each id a byte with a length, then so many bytes. */
typedef struct {
  const command *c;
  int64_t first_timestamp;
  const unsigned char **pieces; /* null: there is no text */
  size_t num_pieces;
} writer;

int can_transcribe(void) { return can_generate() && find_function("features"); }

static int help(const char *program) {
  const tenon_model_desc *model = tenon_artifact_model;
  printf("usage: %s FILE.wav [--OPTION=VALUE]...\n\n"
         "Writes down the speech of a WAV file of 16 kHz with the model %s,\n"
         "made by %s from %s.\n\n"
         "  --language=NAME       by default it is found in the first 30 s\n"
         "  --task=NAME           transcribe or translate\n"
         "  --timestamps          cuts the text at times and prints them\n"
         "  --ids                 prints ids and no text\n",
         program, model->name, model->compiler, model->source);
  program_print_flags(22);
  puts("  --function=NAME       runs one function of the model instead; its\n"
       "                        flags: --function=NAME --help\n\n"
       "The options of the model:\n");
  print_settings();
  return fflush(stdout) == 0 ? TENON_OK : TENON_IO;
}

static int read_arguments(command *c, int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    const char *argument = argv[i], *value;
    int status = TENON_OK;
    if ((value = program_flag(argv, argc, &i, "--language")))
      c->language = value;
    else if ((value = program_flag(argv, argc, &i, "--task")))
      c->task = value;
    else if (program_read_flags(argv, argc, &i, &c->flags, &status))
      ;
    else if (strcmp(argument, "--timestamps") == 0)
      c->has_times = 1;
    else if (strcmp(argument, "--ids") == 0)
      c->wants_ids = 1;
    else if ((c->settings[c->num_settings] = find_setting(argv, argc, &i))
                 .option)
      ++c->num_settings;
    else if (!c->sound && (argument[0] != '-' || argument[1] == 0))
      c->sound = argument;
    else
      status = program_usage_error("unknown argument", argument);
    if (status != TENON_OK)
      return status;
  }
  if (c->sound)
    return TENON_OK;
  program_fail(TENON_USAGE, "", "expected a WAV file");
  return TENON_USAGE;
}

/* The places of the pieces in the model's tables. Without them the text is
 * ids. */
static int find_pieces(tenon_model *model, writer *w) {
  tenon_tensor table = {.struct_size = sizeof table};
  if (w->c->wants_ids ||
      tenon_get_default(model, "tokens", "pieces", &table) != TENON_OK ||
      table.dtype != TENON_U8 || table.bytes == 0)
    return 1;
  const unsigned char *at = table.data, *end = at + table.bytes;
  w->pieces = calloc(table.bytes, sizeof *w->pieces);
  if (!w->pieces)
    return 0;
  while (at < end && at + *at < end) {
    w->pieces[w->num_pieces++] = at;
    at += *at + 1;
  }
  return 1;
}

static void print_place(double seconds) {
  int64_t time = (int64_t)(seconds * 1000 + 0.5);
  if (time >= 3600000)
    printf("%02" PRId64 ":", time / 3600000);
  printf("%02" PRId64 ":%02" PRId64 ".%03" PRId64, time / 60000 % 60,
         time / 1000 % 60, time % 1000);
}

/* The piece of an id; null if it has no text. */
static const unsigned char *piece_of(const writer *w, int64_t id) {
  int is_time = w->first_timestamp >= 0 && id >= w->first_timestamp;
  if (is_time || id < 0 || (size_t)id >= w->num_pieces || *w->pieces[id] == 0)
    return NULL;
  return w->pieces[id];
}

static int has_text(const writer *w, const tenon_segment *segment) {
  for (size_t i = 0; i < segment->count; ++i)
    if (!w->pieces || piece_of(w, segment->ids[i]))
      return 1;
  return 0;
}

static int print_segment(void *state, const tenon_segment *segment) {
  const writer *w = state;
  if (!has_text(w, segment))
    return 0;
  if (w->c->has_times) {
    putchar('[');
    print_place(segment->start);
    fputs(" --> ", stdout);
    print_place(segment->end);
    fputs("] ", stdout);
  }
  int is_first = 1;
  for (size_t i = 0; i < segment->count; ++i) {
    int64_t id = segment->ids[i];
    if (!w->pieces) {
      printf("%s%" PRId64, i ? " " : "", id);
      continue;
    }
    const unsigned char *piece = piece_of(w, id);
    if (!piece)
      continue;
    size_t bytes = *piece++;
    /* A text begins with the space before its first word. */
    if (is_first && *piece == ' ')
      ++piece, --bytes;
    is_first = 0;
    fwrite(piece, 1, bytes, stdout);
  }
  putchar('\n');
  return fflush(stdout) != 0;
}

static tenon_status set_option(void *state, const tenon_tensor *value) {
  return tenon_transcriber_set(state, value);
}

static const char *text_of(void *state) {
  return tenon_transcriber_text(state);
}

static int transcribe(const command *c, tenon_model *model,
                      tenon_transcriber *transcriber, wav *sound) {
  for (int i = 0; i < c->num_settings; ++i) {
    int status =
        apply_setting(&c->settings[i], transcriber, set_option, text_of);
    if (status != TENON_OK)
      return status;
  }
  tenon_speech_ids ids = {.struct_size = sizeof ids};
  tenon_transcriber_get_ids(transcriber, &ids);
  writer w = {.c = c, .first_timestamp = ids.first_timestamp};
  if (!find_pieces(model, &w))
    return program_fail(TENON_LIMIT, "", "out of memory");
  tenon_transcription call = {.struct_size = sizeof call,
                              .read = wav_read,
                              .read_state = sound,
                              .on_segment = print_segment,
                              .on_segment_state = &w,
                              .language = c->language,
                              .task = c->task,
                              .timestamps = c->has_times,
                              .timeout_ns = c->flags.deadline};
  tenon_status status = tenon_transcriber_run(transcriber, &call);
  free(w.pieces);
  if (ferror(stdout))
    return program_fail(TENON_IO, "", "cannot write the results");
  return status == TENON_OK
             ? TENON_OK
             : program_fail(status, "", tenon_transcriber_text(transcriber));
}

static int open_and_transcribe(const command *c, wav *sound) {
  char why[1024] = "";
  tenon_model *model;
  tenon_transcriber *transcriber;
  tenon_transcriber_options making = {.struct_size = sizeof making,
                                      .error_text = why,
                                      .error_text_bytes = sizeof why};
  int status = program_open(&c->flags, &model);
  if (status != TENON_OK)
    return status;
  status = tenon_transcriber_create(model, &making, &transcriber);
  if (status == TENON_OK) {
    status = transcribe(c, model, transcriber, sound);
    tenon_transcriber_destroy(transcriber);
  } else {
    program_fail(status, "", why);
  }
  tenon_close(model);
  return status;
}

int transcribe_main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      return help(argv[0]);
  command c = {0};
  c.settings = calloc((size_t)argc + 1, sizeof *c.settings);
  if (!c.settings)
    return program_fail(TENON_LIMIT, "", "out of memory");
  int status = read_arguments(&c, argc, argv);
  wav sound;
  char why[512];
  if (status == TENON_OK) {
    status = wav_open(c.sound, &sound, why, sizeof why);
    if (status != TENON_OK) {
      program_fail(status, c.sound, why);
    } else {
      status = open_and_transcribe(&c, &sound);
      wav_close(&sound);
    }
  }
  free(c.settings);
  return status;
}
