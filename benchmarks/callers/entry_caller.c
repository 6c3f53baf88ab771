/* A model linked into the program and called by its typed entry. The model is
 * compiled by `tenon compile -c --standalone --name=linked`. Argument:
 * MANIFEST.
 *
 * For models of fixed extents with one input and one output. The C symbols of
 * every model start with `linked`. */
#include "caller.h"

#include "linked.h"

static _Alignas(64) unsigned char arena[linked_ARENA_BYTES + 64];
static linked_inputs inputs;
static linked_outputs outputs;

static void call(void *state) {
  (void)state;
  if (linked_run(&inputs, &outputs, arena) != 0)
    fail("linked_run", "failed");
}

int main(int argc, char **argv) {
  if (argc != 2)
    fail("usage", "entry_caller MANIFEST");
  static call_tensors tensors;
  read_tensors(argv[1], &tensors);
  if (tensors.num_inputs != 1 || tensors.num_outputs != 1)
    fail(argv[1], "expected one input and one output");
  inputs = (linked_inputs){tensors.inputs[0].data};
  outputs = (linked_outputs){tensors.outputs[0].data};
  serve(&tensors, call, NULL);
}
