/* Opens the model named on the command line and runs it on zeros. */
#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>

int main(int count, char **arguments) {
  char why[1024] = "";
  tenon_open_options options = {sizeof options, why, sizeof why};
  tenon_model *model = NULL;
  tenon_context *context = NULL;
  if (count != 2 || tenon_open(arguments[1], &options, &model) != TENON_OK ||
      tenon_context_create(model, NULL, &context) != TENON_OK) {
    fprintf(stderr, "%s\n", why);
    return 1;
  }
  const tenon_function_desc *function = tenon_find_function(model, NULL);
  tenon_tensor inputs[2];
  int64_t dims[2] = {1, 3};
  float zeros[3] = {0};
  for (int i = 0; i < function->num_inputs; ++i) {
    tenon_tensor input = {sizeof input, NULL,  TENON_F32,    2,
                          dims,         zeros, sizeof zeros, TENON_ON_HOST};
    inputs[i] = input;
  }
  tenon_tensor output = {sizeof output};
  if (tenon_run(context, NULL, inputs, (size_t)function->num_inputs, &output,
                1) != TENON_OK) {
    fprintf(stderr, "%s\n", tenon_context_text(context));
    return 2;
  }
  printf("%s: rank %d, %zu bytes\n", function->outputs[0].name, output.rank,
         output.bytes);
  tenon_context_destroy(context);
  return tenon_close(model) == TENON_OK ? 0 : 3;
}
