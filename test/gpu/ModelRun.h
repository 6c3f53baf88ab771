// Runs of a compiled model on random inputs, on the CPU or on a device.
#ifndef TENON_TEST_GPU_MODELRUN_H
#define TENON_TEST_GPU_MODELRUN_H

#include "runtime/tenon.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace tenon::test {

/// A model with a context.
struct OpenedModel {
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  char text[1024] = "";

  OpenedModel() = default;
  OpenedModel(const OpenedModel &) = delete;
  ~OpenedModel() {
    tenon_context_destroy(context);
    tenon_close(model);
  }
  /// `device` is null for the CPU. False after an error, which is in `text`.
  bool open(const std::string &artifact, const char *device, int threads) {
    tenon_open_options options{};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    options.threads = threads;
    options.device = device;
    return tenon_open(artifact.c_str(), &options, &model) == TENON_OK &&
           tenon_context_create(model, nullptr, &context) == TENON_OK;
  }
};

class RandomInput {
public:
  /// `extent` is the size of each dynamic extent.
  RandomInput(const tenon_tensor_desc &desc, int64_t extent,
              std::mt19937 &draws)
      : dtype(desc.dtype) {
    size_t count = 1;
    for (int32_t d = 0; d < desc.rank; ++d) {
      const tenon_dim_desc &dim = desc.dims[d];
      dims.push_back(dim.size >= 0 ? dim.size
                                   : std::clamp(extent, dim.min, dim.max));
      count *= size_t(dims.back());
    }
    switch (desc.dtype) {
    case TENON_F32:
      fill<float>(count,
                  [&] { return std::normal_distribution<float>()(draws); });
      break;
    case TENON_I64:
      fill<int64_t>(count, [&] { return int64_t(draws() % 2); });
      break;
    case TENON_I32:
      fill<int32_t>(count, [&] { return int32_t(draws() % 2); });
      break;
    default:
      fill<char>(count * 8, [] { return char(1); });
    }
  }
  tenon_tensor tensor() {
    tenon_tensor made{};
    made.struct_size = sizeof made;
    made.dtype = dtype;
    made.rank = int32_t(dims.size());
    made.dims = dims.data();
    made.data = bytes.data();
    made.bytes = bytes.size();
    return made;
  }

private:
  template <typename T, typename Draw> void fill(size_t count, Draw draw) {
    bytes.resize(count * sizeof(T));
    for (size_t i = 0; i < count; ++i) {
      T value = draw();
      std::memcpy(&bytes[i * sizeof(T)], &value, sizeof value);
    }
  }
  int32_t dtype;
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};

/// The inputs of the model's main function.
inline std::vector<RandomInput> randomInputs(tenon_model *model, int64_t extent,
                                             std::mt19937 &draws) {
  const tenon_function_desc *function = tenon_find_function(model, nullptr);
  std::vector<RandomInput> inputs;
  for (int32_t i = 0; i < function->num_inputs; ++i)
    inputs.emplace_back(function->inputs[i], extent, draws);
  return inputs;
}

/// Runs the main function once. The outputs are the context's. False after an
/// error, which is in the context's text.
inline bool runOnce(OpenedModel &opened, std::vector<RandomInput> &inputs,
                    std::vector<tenon_tensor> &outputs) {
  std::vector<tenon_tensor> ins;
  for (RandomInput &input : inputs)
    ins.push_back(input.tensor());
  const tenon_function_desc *function =
      tenon_find_function(opened.model, nullptr);
  outputs.assign(size_t(function->num_outputs), {});
  for (tenon_tensor &output : outputs)
    output.struct_size = sizeof output;
  return tenon_run(opened.context, nullptr, ins.data(), ins.size(),
                   outputs.data(), outputs.size()) == TENON_OK;
}

} // namespace tenon::test

#endif
