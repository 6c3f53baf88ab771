/* Usage: seal_artifact FILE...: seals hand-written artifacts for the tests. */
#include <stdio.h>

#include "runtime/seal.h"

int main(int argc, char **argv) {
  char text[256];
  for (int i = 1; i < argc; ++i)
    if (tenon_seal_artifact(argv[i], text, sizeof text) != 0) {
      fprintf(stderr, "%s: %s\n", argv[i], text);
      return 1;
    }
  return 0;
}
