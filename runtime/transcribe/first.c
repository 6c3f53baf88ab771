/* The first ids of every text: the start, the language, the task, and whether
 * there are times. */
#include "transcriber.h"

#include <string.h>

static int has_any(const tenon_transcriber *transcriber,
                   const tenon_named_ids *list) {
  for (size_t i = 0; i < transcriber->num_first_ids; ++i)
    for (size_t k = 0; k < list->count; ++k)
      if (transcriber->first_ids[i] == list->ids[k])
        return 1;
  return 0;
}

/* Replaces the ids of the list by `id`, or adds it if there is none. */
static void put(tenon_transcriber *transcriber, const tenon_named_ids *list,
                int64_t id) {
  if (!has_any(transcriber, list)) {
    transcriber->first_ids[transcriber->num_first_ids++] = id;
    return;
  }
  for (size_t i = 0; i < transcriber->num_first_ids; ++i)
    for (size_t k = 0; k < list->count; ++k)
      if (transcriber->first_ids[i] == list->ids[k])
        transcriber->first_ids[i] = id;
}

static tenon_status not_found(tenon_transcriber *transcriber, const char *what,
                              const char *name, const tenon_named_ids *list) {
  tenon_text *text = &transcriber->text;
  tenon_text_add(text, "%s \"", what);
  tenon_text_add_name(text, name);
  tenon_text_add(text, "\": the model has ");
  for (size_t i = 0; i < list->count; ++i) {
    const char *known = tenon_name_of(list, list->ids[i]);
    tenon_text_add(text, "%s", i ? ", " : "");
    tenon_text_add_name(text, known ? known : "");
  }
  if (list->count == 0)
    tenon_text_add(text, "none");
  return TENON_BAD_INPUT;
}

/* A language by its code, its token or its English name. */
static tenon_status put_language(tenon_transcriber *transcriber) {
  const tenon_named_ids *languages = &transcriber->speech.languages;
  const char *name = transcriber->call->language, *code;
  size_t length = strlen(name);
  ptrdiff_t found = tenon_find_named(languages, name, length);
  if (found < 0 && length > 4 && strncmp(name, "<|", 2) == 0 &&
      strcmp(name + length - 2, "|>") == 0)
    found = tenon_find_named(languages, name + 2, length - 4);
  if (found < 0 && (code = tenon_language_code(name)))
    found = tenon_find_named(languages, code, strlen(code));
  if (found < 0)
    return not_found(transcriber, "language", name, languages);
  put(transcriber, languages, languages->ids[found]);
  return TENON_OK;
}

/* The language of the first window: one step from the start alone. */
static tenon_status find_language(tenon_transcriber *transcriber) {
  const tenon_speech *speech = &transcriber->speech;
  tenon_generator *generator = transcriber->generator;
  int64_t frames = transcriber->sound.frames < speech->window
                       ? transcriber->sound.frames
                       : speech->window;
  tenon_status status = tenon_set_window(transcriber, 0, frames);
  if (status != TENON_OK)
    return status;
  status = tenon_reserve(generator, &transcriber->prompt, sizeof(int64_t));
  if (status != TENON_OK)
    return tenon_generator_failed(transcriber, status);
  *(int64_t *)transcriber->prompt.data = speech->start;
  transcriber->prompt_count = 1;
  status = tenon_generate_neutral(transcriber, /*is_language=*/1);
  if (status != TENON_OK)
    return status;
  tenon_sequence made;
  if (tenon_generator_get_sequence(generator, 0, &made) != TENON_OK ||
      made.count == 0) {
    tenon_text_add(&transcriber->text, "no language was found");
    return TENON_INTERNAL;
  }
  if (transcriber->num_first_ids > 1)
    transcriber->first_ids[1] = made.ids[0];
  else
    transcriber->first_ids[transcriber->num_first_ids++] = made.ids[0];
  return TENON_OK;
}

static tenon_status put_task(tenon_transcriber *transcriber) {
  const tenon_named_ids *tasks = &transcriber->speech.tasks;
  const char *name = transcriber->call->task;
  if (!name && (!transcriber->call->language || has_any(transcriber, tasks)))
    return TENON_OK;
  const char *wanted = name ? name : "transcribe";
  ptrdiff_t found = tenon_find_named(tasks, wanted, strlen(wanted));
  if (found >= 0)
    put(transcriber, tasks, tasks->ids[found]);
  else if (name)
    return not_found(transcriber, "task", name, tasks);
  return TENON_OK;
}

static void put_times(tenon_transcriber *transcriber) {
  int64_t none = transcriber->speech.no_timestamps;
  size_t last = transcriber->num_first_ids - 1;
  int is_there = transcriber->first_ids[last] == none;
  if (none < 0 || is_there == !transcriber->has_timestamps)
    return;
  if (is_there)
    --transcriber->num_first_ids;
  else
    transcriber->first_ids[transcriber->num_first_ids++] = none;
}

tenon_status tenon_choose_first_ids(tenon_transcriber *transcriber) {
  const tenon_transcription *call = transcriber->call;
  const tenon_speech *speech = &transcriber->speech;
  int64_t *ids = transcriber->first_ids;
  size_t count = 1;
  ids[0] = speech->start;
  if ((call->language || call->task) && !speech->is_multilingual) {
    tenon_text_add(&transcriber->text,
                   "the model knows one language, so no language or task can "
                   "be chosen");
    return TENON_BAD_INPUT;
  }
  for (size_t i = 0; i < speech->num_first_ids; ++i)
    if (!call->language && !call->task)
      ids[count++] = speech->first_ids[i];
  transcriber->num_first_ids = count;
  tenon_status status = TENON_OK;
  if (call->language)
    status = put_language(transcriber);
  else if (speech->languages.count > 0 && (count < 2 || ids[1] < 0))
    status = find_language(transcriber);
  if (status == TENON_OK)
    status = put_task(transcriber);
  if (status != TENON_OK)
    return status;
  put_times(transcriber);
  /* What nobody says is left out. */
  count = 0;
  for (size_t i = 0; i < transcriber->num_first_ids; ++i)
    if (ids[i] >= 0)
      ids[count++] = ids[i];
  transcriber->num_first_ids = count;
  transcriber->language = NULL;
  for (size_t i = 0; i < count && !transcriber->language; ++i)
    transcriber->language = tenon_name_of(&speech->languages, ids[i]);
  return TENON_OK;
}
