/* Tests the header as strict C11 and strict C++17: a short program on the
 * shared library. */
#include "runtime/tenon_generate.h"

#include <stdio.h>
#include <string.h>

static tenon_token_answer count_token(void *state, size_t sequence,
                                      int64_t id) {
  *(int *)state += sequence == 0 && id >= 0;
  return TENON_GO_ON;
}

int main(int argc, char **argv) {
  int64_t ids[2] = {3, 4};
  int told = 0;
  char text[1024] = "";
  tenon_model *model = NULL;
  tenon_generator *generator = NULL;
  tenon_generator_options options;
  tenon_prompt prompt;
  tenon_generation call;
  tenon_sequence sequence;
  prompt.ids = ids;
  prompt.count = 2;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.error_text = text;
  options.error_text_bytes = sizeof text;
  memset(&call, 0, sizeof call);
  call.struct_size = sizeof call;
  call.prompts = &prompt;
  call.num_prompts = 1;
  call.on_token = count_token;
  call.on_token_state = &told;
  if (argc != 2 || tenon_open(argv[1], NULL, &model) != TENON_OK ||
      tenon_generator_create(model, &options, &generator) != TENON_OK ||
      tenon_generator_set_i64(generator, "max_new_tokens", 3) != TENON_OK ||
      tenon_generator_run(generator, &call) != TENON_OK ||
      tenon_generator_get_sequence(generator, 0, &sequence) != TENON_OK) {
    printf("failed: %s%s\n", text, tenon_generator_text(generator));
    return 1;
  }
  if (told != 3 || sequence.count != 3 || sequence.ids[0] != 36) {
    printf("told %d, made %zu\n", told, sequence.count);
    return 1;
  }
  return tenon_generator_destroy(generator) != TENON_OK ||
         tenon_close(model) != TENON_OK;
}
