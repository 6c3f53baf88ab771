/* Generates ids with the model at a path. */
#include <stdio.h>
#include <tenon/tenon_generate.h>

int main(int argc, char **argv) {
  int64_t ids[2] = {3, 4};
  tenon_prompt prompt = {ids, 2};
  tenon_generation call = {
      .struct_size = sizeof call, .prompts = &prompt, .num_prompts = 1};
  tenon_model *model;
  tenon_generator *generator;
  tenon_sequence text;
  if (argc != 2 || tenon_open(argv[1], NULL, &model) != TENON_OK ||
      tenon_generator_create(model, NULL, &generator) != TENON_OK)
    return 1;
  if (tenon_generator_set_i64(generator, "max_new_tokens", 3) != TENON_OK ||
      tenon_generator_run(generator, &call) != TENON_OK ||
      tenon_generator_get_sequence(generator, 0, &text) != TENON_OK) {
    printf("%s\n", tenon_generator_text(generator));
    return 1;
  }
  if (text.count != 3 || text.ids[0] != 36)
    return 1;
  return tenon_generator_destroy(generator) != TENON_OK ||
         tenon_close(model) != TENON_OK;
}
