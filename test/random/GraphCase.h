// A graph with inputs, the backend that runs it, and the outcome; and the
// reduction of a failing graph.
#ifndef TENON_TEST_RANDOM_GRAPHCASE_H
#define TENON_TEST_RANDOM_GRAPHCASE_H

#include "test/random/RandomGraph.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// The results of a backend.
struct Computed {
  Computed(std::vector<HostTensor> outputs, bool bf16Products = false)
      : outputs(std::move(outputs)), bf16Products(bf16Products) {}

  std::vector<HostTensor> outputs; ///< of @main
  bool bf16Products; ///< products may round their operands to bf16
};

/// Computes @main in the way under test. It may change the graph.
using Backend = std::function<llvm::Expected<Computed>(RandomGraph &graph)>;

enum class Verdict : int {
  Agrees = 0,
  Differs = 1, ///< an output differs from the oracle's
  Refused = 2, ///< the backend returned an error
  Crashed = 3, ///< the backend crashed or timed out
  Invalid = 4  ///< the graph is invalid, or the oracle returned an error
};

struct Outcome {
  Verdict verdict = Verdict::Agrees;
  std::string text;
};

/// Runs the graph in its own process, which contains a crash, and compares with
/// the oracle.
Outcome runAndCompare(const RandomGraph &graph, const Backend &backend,
                      unsigned seconds);

/// Reduces the graph while the verdict stays `verdict`: drops outputs, and
/// replaces ops by inputs with the values they computed.
RandomGraph reduce(const RandomGraph &graph, const Backend &backend,
                   unsigned seconds, Verdict verdict);

RandomGraph cloneGraph(const RandomGraph &graph);

} // namespace tenon

#endif // TENON_TEST_RANDOM_GRAPHCASE_H
