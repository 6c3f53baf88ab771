// A model with enough weights for a blob, its expected results, and its
// artifacts opened by the runtime.
#ifndef TENON_TEST_PROCESS_MODELS_H
#define TENON_TEST_PROCESS_MODELS_H

#include "runtime/tenon.h"
#include "test/bad/OnnxModels.h"

#include <string>
#include <vector>

namespace tenon::test {

/// A model y = Relu(x + w) on `modelElements` floats; `seed` determines the
/// weights.
constexpr int modelElements = 20000;
::onnx::ModelProto makeWeightedModel(int seed);
void writeModel(const std::string &path, int seed);

/// Writes the model of seed 2 as apart.onnx, and its weights beside it as
/// w.bin. Returns the weights.
std::string writeModelApart(const Folder &folder);

/// The result y for x of all ones.
std::vector<float> expectedRow(int seed);

/// An open artifact of the model, with a context. A refused artifact fails the
/// test with the reason.
class Opened {
public:
  explicit Opened(const std::string &path, int32_t threads = 1,
                  bool verify = false);
  Opened(const Opened &) = delete;
  ~Opened();

  /// Runs on x of all ones and returns y; empty if the run fails.
  std::vector<float> run() const;

  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
};

/// Opens the artifact with all checks and runs it on ones. Returns an empty
/// vector if it is refused; the test then fails with the reason.
std::vector<float> runArtifact(const std::string &path);

std::string readWhole(const std::string &path);

} // namespace tenon::test

#endif // TENON_TEST_PROCESS_MODELS_H
