// A graph with inputs, how a backend runs it, and what came of it; and cutting
// a failing one down.
#ifndef TENON_TEST_RANDOM_GRAPHCASE_H
#define TENON_TEST_RANDOM_GRAPHCASE_H

#include "test/random/RandomGraph.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// What a backend made of a graph.
struct Computed {
  Computed(std::vector<HostTensor> outputs, bool bf16Products = false)
      : outputs(std::move(outputs)), bf16Products(bf16Products) {}

  std::vector<HostTensor> outputs; ///< of @main
  bool bf16Products; ///< f32 products may be of operands rounded to bf16
};

/// Computes @main by the way under test. The graph is the backend's to change.
using Backend = std::function<llvm::Expected<Computed>(RandomGraph &graph)>;

enum class Verdict : int {
  Agrees = 0,
  Differs = 1, ///< an output is not the oracle's
  Refused = 2, ///< the backend gave an error
  Crashed = 3, ///< the backend died, or ran past its time
  Invalid = 4  ///< the graph is not valid, or the oracle gave an error
};

struct Outcome {
  Verdict verdict = Verdict::Agrees;
  std::string text;
};

/// Runs the graph in a process of its own, so that a crash ends that alone,
/// and compares with the oracle.
Outcome judge(const RandomGraph &graph, const Backend &backend,
              unsigned seconds);

/// The graph with fewer outputs and ops that still ends with `verdict`: outputs
/// are dropped, ops are replaced by inputs that hold what they computed.
RandomGraph reduce(const RandomGraph &graph, const Backend &backend,
                   unsigned seconds, Verdict verdict);

RandomGraph cloneGraph(const RandomGraph &graph);

} // namespace tenon

#endif // TENON_TEST_RANDOM_GRAPHCASE_H
