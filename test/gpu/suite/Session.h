// A model of the GPU suite, opened on the CPU or on the device.
#ifndef TENON_TEST_GPU_SUITE_SESSION_H
#define TENON_TEST_GPU_SUITE_SESSION_H

#include "runtime/tenon.h"
#include "test/conformance/TensorFile.h"

#include <map>
#include <string>
#include <vector>

namespace tenon::suite {

using conformance::TensorFile;

/// A monotonic clock in seconds.
double now();

/// An open model and a context of it. Every step throws std::runtime_error with
/// the runtime's text.
class Session {
public:
  /// `device` as in tenon_open_options: null for the CPU.
  Session(const std::string &artifact, const char *device, int threads);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  /// Runs once; the results are copied out of the context.
  std::vector<TensorFile> run(const std::vector<TensorFile> &inputs);
  /// Runs once; the results stay in memory of the context, where `place` says.
  void runInPlace(std::vector<tenon_tensor> &inputs, tenon_place place);

  const tenon_function_desc &function() const { return *entry; }

private:
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  const tenon_function_desc *entry = nullptr;
};

/// An argument that refers to `file`.
tenon_tensor argument(const TensorFile &file);

/// Random inputs for `function`: floats are normal; integers are below the
/// bound that `bounds` has for the input, or 2. A dynamic extent is `extent`
/// where it may be. The same seed gives the same bits on every machine.
std::vector<TensorFile> drawInputs(const tenon_function_desc &function,
                                   const std::map<std::string, int64_t> &bounds,
                                   int64_t extent);

/// Compares results bit by bit; any NaN equals any other. Empty if they agree.
std::string difference(const std::vector<TensorFile> &expected,
                       const std::vector<TensorFile> &got);

} // namespace tenon::suite

#endif
