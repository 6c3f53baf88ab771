/* Refuses outputs that overlap other tensors in memory. The context's spans of
 * inputs and outputs come in; they are sorted afterwards. */
#include "model.h"

/* The order of spans: by memory, then by address. */
static int is_before(const tenon_span *a, const tenon_span *b) {
  return a->place != b->place ? a->place < b->place : a->begin < b->begin;
}

/* Restores the heap order of the subtree whose root may violate it. */
static void sift(tenon_span *spans, size_t root, size_t count) {
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && is_before(&spans[child], &spans[child + 1]))
      ++child;
    if (!is_before(&spans[root], &spans[child]))
      return;
    tenon_span moved = spans[root];
    spans[root] = spans[child];
    spans[child] = moved;
  }
}

tenon_status tenon_check_overlap(tenon_context *context,
                                 const tenon_function *function) {
  const tenon_function_desc *desc = function->desc;
  tenon_span *spans = context->spans;
  size_t count = 0;
  for (int32_t i = 0; i < desc->num_inputs + desc->num_outputs; ++i)
    if (spans[i].end > spans[i].begin)
      spans[count++] = spans[i];
  for (size_t i = count / 2; i-- > 0;)
    sift(spans, i, count);
  for (size_t i = count; i-- > 1;) {
    tenon_span largest = spans[0];
    spans[0] = spans[i];
    spans[i] = largest;
    sift(spans, 0, i);
  }
  /* The spans are sorted by rising begin. `reach` holds the input and the
   * output span with the furthest end so far: if neither overlaps the next
   * span, no earlier span does. Two inputs may overlap. */
  const tenon_span *reach[2] = {NULL, NULL};
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && spans[i].place != spans[i - 1].place)
      reach[0] = reach[1] = NULL;
    for (int kind = spans[i].is_output ? 0 : 1; kind < 2; ++kind) {
      if (!reach[kind] || reach[kind]->end <= spans[i].begin)
        continue;
      const tenon_span *pair[2] = {reach[kind], &spans[i]};
      for (int p = 0; p < 2; ++p) {
        tenon_text_add(&context->text, p ? " overlaps %s \"" : "%s \"",
                       pair[p]->is_output ? "output" : "input");
        tenon_text_add_name(&context->text,
                            pair[p]->is_output
                                ? desc->outputs[pair[p]->index].name
                                : desc->inputs[pair[p]->index].name);
        tenon_text_add(&context->text, "\"");
      }
      tenon_text_add(&context->text,
                     " in memory\nhelp: give the output a buffer of its own");
      return TENON_BAD_INPUT;
    }
    int kind = spans[i].is_output;
    if (!reach[kind] || reach[kind]->end < spans[i].end)
      reach[kind] = &spans[i];
  }
  return TENON_OK;
}
