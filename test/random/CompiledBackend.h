// The whole way: a graph compiled to an artifact and run by the runtime.
#ifndef TENON_TEST_RANDOM_COMPILEDBACKEND_H
#define TENON_TEST_RANDOM_COMPILEDBACKEND_H

#include "compiler/CompileOptions.h"
#include "test/random/GraphCase.h"

namespace tenon {

struct CompiledOptions {
  int optLevel = 2;
  std::string cpu = "native";
  MatmulPrecision precision = MatmulPrecision::F32;
  /// The graph runs once with each number of threads, and on each of the
  /// further processors, whose code is not optimized; all must give the same
  /// bits.
  std::vector<int> threads = {2};
  std::vector<std::string> otherCpus;
  /// One more artifact with code for each of these: the same bits from each.
  std::vector<std::string> versions;
  /// Further compilations with variants for the inputs' sizes: the same bits.
  bool specialize = false;
};

/// Files are made in a folder of the child process that `judge` runs the
/// backend in, and removed.
Backend compiledBackend(CompiledOptions options);

} // namespace tenon

#endif // TENON_TEST_RANDOM_COMPILEDBACKEND_H
