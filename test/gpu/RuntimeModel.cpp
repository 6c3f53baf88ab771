// The entries of the model. Host code of the device version follows the ABI as
// generated code does: it plans on the host and launches through the call.
#include "test/gpu/RuntimeModel.h"

#include "test/gpu/Device.h"

#include <algorithm>
#include <cstring>

namespace tenon::test {
namespace {

enum Kernel { Scale, AddRow, Pick, KeepPositive, Trespass };
enum { Threads = 64 };

const tenon_device_kernel_desc kernels[] = {{"scale", Threads, 0, 5, 0},
                                            {"addRow", Threads, 0, 5, 0},
                                            {"pick", Threads, 64 << 10, 6, 0},
                                            {"keepPositive", 1, 0, 5, 0},
                                            {"trespass", 1, 0, 2, 0}};

alignas(TENON_WEIGHT_ALIGNMENT) const float weights[] = {0.5f, 1, 1.5f, 2};
enum { SumOffset = 0, StateBytes = 16 };

template <typename T> uint64_t word(T value) {
  uint64_t made = 0;
  std::memcpy(&made, &value, sizeof value);
  return made;
}

/// Launches a kernel over `n` threads with the record of faults before the
/// arguments.
template <typename... Arguments>
int32_t launch(tenon_call *call, Kernel kernel, int64_t n,
               Arguments... arguments) {
  const uint64_t words[] = {word(call->device_faults), word(arguments)...};
  int64_t threads = kernels[kernel].threads;
  return call->device->launch(call, kernel, kernel, (n + threads - 1) / threads,
                              words, n, 8 * n);
}

int64_t extent(tenon_call *call, int input) {
  return call->input_dims[input][0];
}

/// The place of the result in the arena, at the same offset for both sides.
template <typename T> T *deviceTemporary(tenon_call *call) {
  return reinterpret_cast<T *>(static_cast<char *>(call->arena) + 64);
}
template <typename T> T *hostTemporary(tenon_call *call) {
  return reinterpret_cast<T *>(static_cast<char *>(call->host_arena) + 64);
}
int32_t planned(tenon_call *call, int64_t elements) {
  call->arena_bytes = 64 + 8 * uint64_t(std::max<int64_t>(elements, 1));
  return 0;
}
int32_t planLikeInput(tenon_call *call) {
  call->output_dims[0][0] = extent(call, 0);
  return planned(call, extent(call, 0));
}
int32_t planFour(tenon_call *call) {
  call->output_dims[0][0] = 4;
  return planned(call, 4);
}

int32_t runMain(tenon_call *call) {
  int64_t n = extent(call, 0);
  if (!call->device) {
    const float *row = static_cast<const float *>(call->weights);
    for (int64_t i = 0; i < n; ++i)
      static_cast<float *>(call->outputs[0])[i] =
          2 * static_cast<const float *>(call->inputs[0])[i] + row[i % 4];
    return 0;
  }
  float *twice = deviceTemporary<float>(call);
  return launch(call, Scale, n, call->inputs[0], twice, 2.f, n) ||
         launch(call, AddRow, n, twice, call->weights, call->outputs[0], n);
}

int32_t planPick(tenon_call *call) {
  call->output_dims[0][0] = extent(call, 1);
  return planned(call, 0);
}
int32_t runPick(tenon_call *call) {
  return launch(call, Pick, extent(call, 1), call->inputs[0], call->inputs[1],
                call->outputs[0], extent(call, 0), extent(call, 1));
}

int32_t planRepeat(tenon_call *call) {
  int64_t count = *static_cast<const int64_t *>(call->inputs[1]);
  if (count < 0) {
    call->fault = {TENON_FAULT_SHAPE, 1, count, 0, INT64_MAX};
    return 1;
  }
  call->output_dims[0][0] = count;
  return planned(call, count);
}
int32_t runRepeat(tenon_call *call) {
  // The device has the same value as the host.
  int64_t count = *static_cast<const int64_t *>(call->host_inputs[1]), other;
  int64_t *zeros = deviceTemporary<int64_t>(call), zero = 0;
  if (call->device->read(call, &other, call->inputs[1], sizeof other))
    return 1;
  if (count != other || call->host_inputs[0])
    return 2;
  for (int64_t i = 0; i < count; ++i)
    if (call->device->write(call, zeros + i, &zero, sizeof zero))
      return 1;
  return launch(call, Pick, count, call->inputs[0], zeros, call->outputs[0],
                int64_t(1), count);
}

int32_t runPositive(tenon_call *call) {
  int64_t *count = static_cast<int64_t *>(call->arena), kept;
  float *values = deviceTemporary<float>(call);
  if (launch(call, KeepPositive, 1, call->inputs[0], values, count,
             extent(call, 0)) ||
      call->device->read(call, &kept, count, sizeof kept))
    return 1;
  call->output_dims[0][0] = kept;
  return call->device->copy(call, call->outputs[0], values,
                            uint64_t(kept) * sizeof(float));
}

int32_t runKeep(tenon_call *call) {
  char *sum = static_cast<char *>(call->state) + SumOffset;
  return launch(call, AddRow, 4, sum, call->inputs[0], sum, int64_t(4)) ||
         call->device->copy(call, call->outputs[0], sum, 16);
}

int32_t planCache(tenon_call *call) {
  call->output_dims[0][0] = call->extents[0];
  call->output_dims[0][1] = 4;
  return planned(call, 0);
}
int32_t runCache(tenon_call *call) {
  char *rows = static_cast<char *>(call->state) + call->state_offsets[1];
  return call->device->copy(call, rows, call->inputs[0], 16) ||
         call->device->copy(call, call->outputs[0], rows,
                            uint64_t(call->extents[0]) * 16);
}

int32_t runHost(tenon_call *call) {
  int64_t n = extent(call, 0);
  uint64_t bytes = uint64_t(n) * sizeof(float);
  float *here = hostTemporary<float>(call),
        *there = deviceTemporary<float>(call);
  if (launch(call, Scale, n, call->inputs[0], there, 1.f, n) ||
      call->device->read(call, here, there, bytes))
    return 1;
  const float *row = static_cast<const float *>(call->host_weights);
  if (row[3] != 2)
    return 2;
  for (int64_t i = 0; i < n; ++i)
    here[i] = -here[i];
  if (call->device->write(call, there, here, bytes))
    return 1;
  std::fill_n(here, n, 99.f); // what was written must not change
  return call->device->copy(call, call->outputs[0], there, bytes);
}

int32_t planSend(tenon_call *call) {
  int64_t bytes = *static_cast<const int64_t *>(call->inputs[0]);
  call->output_dims[0][0] = bytes;
  return planned(call, bytes);
}
int32_t runSend(tenon_call *call) {
  char *to = static_cast<char *>(call->outputs[0]);
  unsigned char *from = hostTemporary<unsigned char>(call);
  uint64_t bytes = uint64_t(call->output_dims[0][0]), at = 0;
  for (uint64_t i = 0; i < bytes; ++i)
    from[i] = (unsigned char)(7 + bytes + i);
  // Parts of 0, 1, 2, 3, 4, 12, 16, 100 and more bytes, then the rest.
  for (uint64_t part : {0, 1, 2, 3, 4, 2, 12, 16, 100, 5000, 200000, 300000})
    if (at + part <= bytes) {
      if (call->device->write(call, to + at, from + at, part))
        return 1;
      std::fill_n(from + at, part, 0);
      at += part;
    }
  return call->device->write(call, to + at, from + at, bytes - at);
}

int32_t runSpin(tenon_call *call) {
  int64_t steps = *static_cast<const int64_t *>(call->host_inputs[1]);
  float *y = deviceTemporary<float>(call);
  int64_t muchWork = int64_t(1) << 50;
  const uint64_t arguments[] = {word(call->device_faults),
                                word(call->inputs[0]), word(y), word(3.f),
                                word(int64_t(4))};
  for (int64_t i = 0; i < steps; ++i)
    if (call->device->launch(call, Scale, Scale, 1, arguments, muchWork, 0))
      return 1;
  return call->device->copy(call, call->outputs[0], y, 16);
}

int32_t runChain(tenon_call *call) {
  int64_t n = extent(call, 0),
          steps = *static_cast<const int64_t *>(call->host_inputs[1]);
  float *y = deviceTemporary<float>(call);
  const void *x = call->inputs[0];
  for (int64_t i = 0; i < steps; ++i, x = y)
    if (launch(call, AddRow, n, x, call->weights, y, n))
      return 1;
  return call->device->copy(call, call->outputs[0], x,
                            uint64_t(n) * sizeof(float));
}

int32_t runMixed(tenon_call *call) {
  int64_t n = extent(call, 0);
  float *y = deviceTemporary<float>(call), first = float(n);
  std::vector<float> more;
  for (int i = 1; i <= 5; ++i)
    more.push_back(first + float(i));
  return launch(call, AddRow, n, call->inputs[0], call->weights, y, n) ||
         call->device->write(call, y, &first, 4) ||
         call->device->write(call, y + 1, more.data(), 20) ||
         call->device->copy(call, call->outputs[0], y,
                            uint64_t(n) * sizeof(float));
}

int32_t runTrespass(tenon_call *call) {
  return launch(call, Trespass, 1, call->outputs[0]);
}

const tenon_dim_desc any[] = {{-1, 0, INT64_MAX, 1, "n"}};
const tenon_dim_desc some[] = {{-1, 0, INT64_MAX, 1, "k"}};
const tenon_dim_desc four[] = {{4, 4, 4, 1, ""}};
const tenon_dim_desc rows[] = {{-1, 0, INT64_MAX, 1, ""}, {4, 4, 4, 1, ""}};

tenon_tensor_desc tensor(const char *name, int32_t dtype, int32_t rank,
                         const tenon_dim_desc *dims, int32_t flags = 0,
                         int32_t bounded = 0) {
  tenon_tensor_desc made = {};
  made.name = name;
  made.dtype = dtype;
  made.rank = rank;
  made.dims = dims;
  made.flags = flags;
  made.bounded = bounded;
  if (flags & TENON_INPUT_RANGE) {
    made.least.integer = -1;
    made.greatest.integer = int64_t(1) << 40;
  }
  return made;
}

const tenon_tensor_desc vectors[] = {tensor("x", TENON_F32, 1, any),
                                     tensor("index", TENON_I64, 1, some)};
const tenon_tensor_desc repeated[] = {
    tensor("value", TENON_F32, 0, nullptr),
    tensor("count", TENON_I64, 0, nullptr, TENON_INPUT_HOST)};
const tenon_tensor_desc sent[] = {tensor("bytes", TENON_I64, 0, nullptr,
                                         TENON_INPUT_HOST | TENON_INPUT_RANGE)};
const tenon_tensor_desc spun[] = {
    tensor("x", TENON_F32, 1, four),
    tensor("steps", TENON_I64, 0, nullptr, TENON_INPUT_HOST)};
const tenon_tensor_desc chained[] = {vectors[0], spun[1]};
const tenon_tensor_desc anyOut[] = {tensor("y", TENON_F32, 1, any)};
const tenon_tensor_desc someOut[] = {tensor("y", TENON_F32, 1, some)};
const tenon_tensor_desc bounded[] = {tensor("y", TENON_F32, 1, any, 0, 1)};
const tenon_tensor_desc fourOut[] = {tensor("sum", TENON_F32, 1, four)};
const tenon_tensor_desc rowsOut[] = {tensor("rows", TENON_F32, 2, rows)};
const tenon_tensor_desc bytesOut[] = {tensor("y", TENON_U8, 1, any)};

const int64_t sumDims[] = {4}, cacheDims[] = {-1, 4};
const tenon_state_desc states[] = {
    {"sum", TENON_F32, 1, sumDims, SumOffset, StateBytes, 0},
    {"rows", TENON_F32, 2, cacheDims, TENON_STATE_OPEN, 0, TENON_STATE_ZERO}};
const tenon_extent_desc extents[] = {{"rows", 1, 1000000000, 2}};

const char *const sites[] = {"node \"/pick\" (Gather)", "input \"count\""};
const tenon_launch_desc launches[] = {{"scale", 0, 0},
                                      {"add", 1, 0},
                                      {"pick", 2, 0},
                                      {"keep", 3, 0},
                                      {"bad", 4, 0}};
const tenon_kernel_desc described[] = {
    {"a", "a"}, {"b", "b"}, {"c", "c"}, {"d", "d"}, {"e", "e"}};

using Entry = int32_t (*)(tenon_call *);
tenon_function_desc function(const char *name, int32_t numInputs,
                             const tenon_tensor_desc *inputs,
                             const tenon_tensor_desc *output, Entry plan,
                             Entry run) {
  return {name, numInputs, 1,         inputs,   output, plan, run,    2,
          5,    sites,     described, launches, 5,      0,    nullptr};
}
} // namespace

RuntimeModel::RuntimeModel(const std::vector<int> &architectures) {
  for (int sm : architectures) {
    texts.push_back(ptx::builtText("model", sm));
    names.push_back("sm_" + std::to_string(sm));
  }
  for (size_t i = 0; i < texts.size(); ++i)
    images.push_back({names[i].c_str(), architectures[i], TENON_IMAGE_PTX, 0, 0,
                      texts[i].c_str(), texts[i].size() + 1});
  device = {"nvptx", int32_t(images.size()), 5, images.data(), kernels};
  versions[0] = {"small", 0, 0, nullptr};
  versions[1] = {"nvptx", 0, 0, &device};
  tenon_function_desc made[] = {
      function("main", 1, vectors, anyOut, planLikeInput, runMain),
      function("pick", 2, vectors, someOut, planPick, runPick),
      function("repeat", 2, repeated, anyOut, planRepeat, runRepeat),
      function("positive", 1, vectors, bounded, planLikeInput, runPositive),
      function("keep", 1, spun, fourOut, planFour, runKeep),
      function("cache", 1, spun, rowsOut, planCache, runCache),
      function("host", 1, vectors, anyOut, planLikeInput, runHost),
      function("send", 1, sent, bytesOut, planSend, runSend),
      function("spin", 2, spun, fourOut, planFour, runSpin),
      function("chain", 2, chained, anyOut, planLikeInput, runChain),
      function("mixed", 1, vectors, anyOut, planLikeInput, runMixed),
      function("trespass", 1, spun, fourOut, planFour, runTrespass)};
  std::copy(std::begin(made), std::end(made), functions);
  desc.magic = TENON_ABI_MAGIC;
  desc.abi_version = TENON_ABI_VERSION;
  desc.struct_size = sizeof desc;
  desc.name = "device";
  desc.source = "RuntimeModel.cpp";
  desc.compiler = "by hand";
  desc.target = "x86_64-linux-gnu";
  desc.weight_bytes = sizeof weights;
  desc.weights = weights;
  desc.num_functions = 12;
  desc.num_states = 2;
  desc.functions = functions;
  desc.states = states;
  desc.state_bytes = StateBytes;
  desc.versions = versions;
  desc.num_versions = 2;
  desc.num_extents = 1;
  desc.extents = extents;
}

} // namespace tenon::test
