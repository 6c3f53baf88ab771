// Inputs are drawn by integer arithmetic, so that every machine has the same.
#include "test/gpu/suite/Session.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <stdexcept>

namespace tenon::suite {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Session::Session(const std::string &artifact, const char *device, int threads) {
  char text[1024] = "";
  tenon_open_options options{};
  options.struct_size = sizeof options;
  options.error_text = text;
  options.error_text_bytes = sizeof text;
  options.threads = threads;
  options.device = device;
  if (tenon_open(artifact.c_str(), &options, &model) != TENON_OK)
    throw std::runtime_error(text);
  tenon_context_options settings{};
  settings.struct_size = sizeof settings;
  settings.error_text = text;
  settings.error_text_bytes = sizeof text;
  if (tenon_context_create(model, &settings, &context) != TENON_OK) {
    tenon_close(model);
    throw std::runtime_error(text);
  }
  entry = tenon_find_function(model, nullptr);
}

Session::~Session() {
  tenon_context_destroy(context);
  tenon_close(model);
}

tenon_tensor argument(const TensorFile &file) {
  tenon_tensor made{};
  made.struct_size = sizeof made;
  made.dtype = file.dtype;
  made.rank = int32_t(file.dims.size());
  made.dims = const_cast<int64_t *>(file.dims.data());
  made.data = const_cast<uint8_t *>(file.bytes.data());
  made.bytes = file.bytes.size();
  return made;
}

static std::vector<tenon_tensor> openOutputs(int32_t count, tenon_place place) {
  tenon_tensor open{};
  open.struct_size = sizeof open;
  open.device = place;
  return std::vector<tenon_tensor>(size_t(count), open);
}

std::vector<TensorFile> Session::run(const std::vector<TensorFile> &inputs) {
  std::vector<tenon_tensor> ins;
  for (const TensorFile &input : inputs)
    ins.push_back(argument(input));
  std::vector<tenon_tensor> outs =
      openOutputs(entry->num_outputs, TENON_ON_HOST);
  if (tenon_run(context, nullptr, ins.data(), ins.size(), outs.data(),
                outs.size()) != TENON_OK)
    throw std::runtime_error(tenon_context_text(context));
  std::vector<TensorFile> results;
  for (const tenon_tensor &out : outs) {
    TensorFile &result = results.emplace_back();
    auto *data = static_cast<const uint8_t *>(out.data);
    result.dtype = tenon_dtype(out.dtype);
    result.dims.assign(out.dims, out.dims + out.rank);
    result.bytes.assign(data, data + out.bytes);
  }
  return results;
}

void Session::runInPlace(std::vector<tenon_tensor> &inputs, tenon_place place) {
  std::vector<tenon_tensor> outs = openOutputs(entry->num_outputs, place);
  if (tenon_run(context, nullptr, inputs.data(), inputs.size(), outs.data(),
                outs.size()) != TENON_OK)
    throw std::runtime_error(tenon_context_text(context));
}

namespace {
/// Numbers from a seed, by SplitMix64.
class Draws {
public:
  uint64_t next() {
    uint64_t x = state += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }
  /// A number of deviation 1, as the sum of four uniform numbers.
  float normal() {
    uint64_t bits = next();
    int32_t sum = -2 * 65535;
    for (int i = 0; i < 64; i += 16)
      sum += int32_t(bits >> i & 65535);
    return float(sum) * (1 / 37836.95f);
  }

private:
  uint64_t state = 1;
};
} // namespace

std::vector<TensorFile> drawInputs(const tenon_function_desc &function,
                                   const std::map<std::string, int64_t> &bounds,
                                   int64_t extent) {
  Draws draws;
  std::vector<TensorFile> inputs;
  for (int32_t n = 0; n < function.num_inputs; ++n) {
    const tenon_tensor_desc &desc = function.inputs[n];
    TensorFile &input = inputs.emplace_back();
    input.dtype = tenon_dtype(desc.dtype);
    for (int32_t d = 0; d < desc.rank; ++d) {
      const tenon_dim_desc &dim = desc.dims[d];
      input.dims.push_back(
          dim.size >= 0 ? dim.size : std::clamp(extent, dim.min, dim.max));
    }
    size_t bytes = conformance::elementBytes(desc.dtype);
    input.bytes.resize(size_t(input.elements()) * bytes);
    auto bound = bounds.find(desc.name);
    uint64_t below = bound == bounds.end() ? 2 : uint64_t(bound->second);
    for (size_t i = 0; i < input.bytes.size(); i += bytes) {
      uint64_t integer = draws.next() % below;
      float real = draws.normal();
      bool isReal = desc.dtype == TENON_F32;
      std::memcpy(&input.bytes[i],
                  isReal ? static_cast<void *>(&real)
                         : static_cast<void *>(&integer),
                  bytes);
    }
  }
  return inputs;
}

std::string difference(const std::vector<TensorFile> &expected,
                       const std::vector<TensorFile> &got) {
  if (expected.size() != got.size())
    return "another number of results";
  for (size_t i = 0; i < expected.size(); ++i) {
    std::string found = conformance::differenceInBits(
        expected[i], got[i].dtype, got[i].dims, got[i].bytes.data());
    if (!found.empty())
      return "output " + std::to_string(i) + ": " + found;
  }
  return "";
}

} // namespace tenon::suite
