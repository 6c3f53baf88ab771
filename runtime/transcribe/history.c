/* The ids before a text: the earlier text or a prompt, then the first ids. */
#include "transcriber.h"

#include <stdlib.h>
#include <string.h>

tenon_status tenon_begin_history(tenon_transcriber *transcriber) {
  const tenon_transcription *call = transcriber->call;
  tenon_history *history = &transcriber->history;
  const int64_t *prompt = call->prompt_ids;
  size_t count = call->num_prompt_ids;
  /* Half of the positions, less the id that marks earlier text. */
  int64_t most = transcriber->speech.positions / 2 - 1;
  history->most = most > 0 ? (size_t)most : 0;
  history->count = 0;
  history->has_text = 0;
  if (!history->ids)
    history->ids = malloc((history->most + 1) * sizeof *history->ids);
  if (!history->ids) {
    tenon_text_add(&transcriber->text, "out of memory");
    return TENON_LIMIT;
  }
  if (count == 0 || call->prompt_condition != TENON_PROMPT_FIRST_SEGMENT)
    return TENON_OK;
  if (prompt[0] == transcriber->speech.previous_text) {
    ++prompt;
    --count;
  }
  tenon_remember(history, prompt, count);
  return TENON_OK;
}

void tenon_remember(tenon_history *history, const int64_t *ids, size_t count) {
  history->has_text = 1;
  if (count > history->most) {
    ids += count - history->most;
    count = history->most;
  }
  size_t rest = history->most - count;
  if (rest > history->count)
    rest = history->count;
  memmove(history->ids, history->ids + history->count - rest,
          rest * sizeof *ids);
  memcpy(history->ids + rest, ids, count * sizeof *ids);
  history->count = rest + count;
}

tenon_status tenon_make_prompt(tenon_transcriber *transcriber, int uses_text) {
  const tenon_transcription *call = transcriber->call;
  const tenon_history *history = &transcriber->history;
  const int64_t *before = call->prompt_ids;
  size_t count = call->num_prompt_ids, more = 0;
  if (uses_text && history->has_text) {
    more = history->count;
    if (count == 0 || call->prompt_condition == TENON_PROMPT_FIRST_SEGMENT) {
      before = &transcriber->speech.previous_text;
      count = *before >= 0;
    }
  }
  size_t all = count + more;
  if (__builtin_add_overflow(all, transcriber->num_first_ids, &all) ||
      all > (size_t)transcriber->speech.positions) {
    tenon_text_add(&transcriber->text,
                   "the prompt has %zu ids and the first ids are %zu, the "
                   "model has %lld positions",
                   count, transcriber->num_first_ids,
                   (long long)transcriber->speech.positions);
    return TENON_BAD_INPUT;
  }
  tenon_status status = tenon_reserve(
      transcriber->generator, &transcriber->prompt, all * sizeof(int64_t));
  if (status != TENON_OK)
    return tenon_generator_failed(transcriber, status);
  int64_t *ids = transcriber->prompt.data;
  if (count > 0)
    memcpy(ids, before, count * sizeof *ids);
  if (more > 0)
    memcpy(ids + count, history->ids, more * sizeof *ids);
  memcpy(ids + count + more, transcriber->first_ids,
         transcriber->num_first_ids * sizeof *ids);
  transcriber->prompt_count = all;
  return TENON_OK;
}
