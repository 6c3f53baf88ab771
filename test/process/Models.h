// A model with weights enough for a blob, what it computes, and its artifacts
// opened by the runtime.
#ifndef TENON_TEST_PROCESS_MODELS_H
#define TENON_TEST_PROCESS_MODELS_H

#include "runtime/tenon.h"
#include "test/bad/OnnxModels.h"

#include <string>
#include <vector>

namespace tenon::test {

/// y = Relu(x + w) on `modelElements` floats; `seed` makes the weights.
constexpr int modelElements = 20000;
::onnx::ModelProto makeWeightedModel(int seed);
void writeModel(const std::string &path, int seed);

/// Writes the model of seed 2 as apart.onnx, and beside it w.bin, its weights,
/// which it returns.
std::string writeModelApart(const Folder &folder);

/// y where x is all ones.
std::vector<float> expectedRow(int seed);

/// An open artifact of the model, with a context. One that is refused fails the
/// test with the reason.
class Opened {
public:
  explicit Opened(const std::string &path, int32_t threads = 1,
                  bool verify = false);
  Opened(const Opened &) = delete;
  ~Opened();

  /// y where x is all ones; nothing where it cannot be run.
  std::vector<float> run() const;

  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
};

/// Opens the artifact with every check there is and runs it on ones. Nothing
/// where it is refused; the test then fails with the reason.
std::vector<float> runArtifact(const std::string &path);

std::string readWhole(const std::string &path);

} // namespace tenon::test

#endif // TENON_TEST_PROCESS_MODELS_H
