// Runs a graph the whole way: compiled to an artifact and run by the runtime.
#ifndef TENON_TEST_RANDOM_COMPILEDBACKEND_H
#define TENON_TEST_RANDOM_COMPILEDBACKEND_H

#include "compiler/options/CompileOptions.h"
#include "test/random/GraphCase.h"

namespace tenon {

struct CompiledOptions {
  int optLevel = 2;
  std::string cpu = "native";
  MatmulPrecision precision = MatmulPrecision::F32;
  /// The graph runs once with each number of threads, and once for each further
  /// CPU, whose code is not optimized. All runs must give equal bits.
  std::vector<int> threads = {2};
  std::vector<std::string> otherCpus;
  /// A further artifact with code for each of these CPUs must give equal bits.
  std::vector<std::string> versions;
  /// A further artifact for each of these devices must give equal bits.
  std::vector<std::string> devices;
  /// Further artifacts with variants for the inputs' sizes must give equal
  /// bits.
  bool specialize = false;
};

/// Files are made in a temporary folder of the child process in which
/// `runAndCompare` runs the backend, and are removed.
Backend compiledBackend(CompiledOptions options);

} // namespace tenon

#endif // TENON_TEST_RANDOM_COMPILEDBACKEND_H
