// Compares a model's results on an emulated device with the CPU's, bit by bit,
// on random inputs: compare-device MODEL ARCH [RUNS [EXTENT]]. The runs share a
// context, so that states are compared too; EXTENT is the size of each dynamic
// extent.
#include "compiler/Compiler.h"
#include "runtime/tenon.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

using namespace tenon;

namespace {

struct Opened {
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;

  bool open(const std::string &artifact, const char *device) {
    char text[1024] = "";
    tenon_open_options options{};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    options.threads = 2;
    options.device = device;
    if (tenon_open(artifact.c_str(), &options, &model) == TENON_OK &&
        tenon_context_create(model, nullptr, &context) == TENON_OK)
      return true;
    std::fprintf(stderr, "%s\n", text);
    return false;
  }
  ~Opened() {
    tenon_context_destroy(context);
    tenon_close(model);
  }
};

struct Input {
  std::vector<int64_t> dims;
  std::vector<char> bytes;

  Input(const tenon_tensor_desc &desc, int64_t extent, std::mt19937 &draws) {
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

private:
  template <typename T, typename Draw> void fill(size_t count, Draw draw) {
    bytes.resize(count * sizeof(T));
    for (size_t i = 0; i < count; ++i) {
      T value = draw();
      std::memcpy(&bytes[i * sizeof(T)], &value, sizeof value);
    }
  }
};

/// Runs once; false after an error.
bool run(Opened &opened, std::vector<tenon_tensor> &ins,
         std::vector<tenon_tensor> &outs) {
  for (tenon_tensor &out : outs) {
    out = {};
    out.struct_size = sizeof out;
  }
  if (tenon_run(opened.context, nullptr, ins.data(), ins.size(), outs.data(),
                outs.size()) == TENON_OK)
    return true;
  std::fprintf(stderr, "%s\n", tenon_context_text(opened.context));
  return false;
}

double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int compare(const char *model, const std::string &architecture, int runs,
            int64_t extent, const std::string &artifact) {
  Compiler compiler([](const Diagnostic &d) {
    std::fputs(formatDiagnostic(d).c_str(), stderr);
  });
  CompileOptions options;
  options.input = model;
  options.output = artifact;
  options.devices = {architecture};
  options.matmulPrecision = MatmulPrecision::Strict;
  double start = seconds();
  if (compiler.compile(options).status != Status::Success)
    return 1;
  std::printf("compiled in %.1f s\n", seconds() - start);
  Opened cpu, device;
  if (!cpu.open(artifact, nullptr) || !device.open(artifact, "cuda"))
    return 1;
  const tenon_function_desc *function = tenon_find_function(cpu.model, nullptr);
  std::mt19937 draws(1);
  for (int i = 0; i < runs; ++i) {
    std::vector<Input> inputs;
    for (int32_t n = 0; n < function->num_inputs; ++n)
      inputs.emplace_back(function->inputs[n], extent, draws);
    std::vector<tenon_tensor> ins;
    for (int32_t n = 0; n < function->num_inputs; ++n) {
      tenon_tensor tensor{};
      tensor.struct_size = sizeof tensor;
      tensor.dtype = function->inputs[n].dtype;
      tensor.rank = function->inputs[n].rank;
      tensor.dims = inputs[n].dims.data();
      tensor.data = inputs[n].bytes.data();
      tensor.bytes = inputs[n].bytes.size();
      ins.push_back(tensor);
    }
    std::vector<tenon_tensor> here(function->num_outputs),
        there(function->num_outputs);
    start = seconds();
    if (!run(cpu, ins, here) || !run(device, ins, there))
      return 1;
    for (int32_t n = 0; n < function->num_outputs; ++n)
      if (here[n].bytes != there[n].bytes ||
          std::memcmp(here[n].data, there[n].data, here[n].bytes) != 0) {
        std::printf("run %d: output %d has other bits\n", i, n);
        return 1;
      }
    std::printf("run %d: %.1f s\n", i, seconds() - start);
  }
  std::printf("the bits are the CPU's\n");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fputs("usage: compare-device MODEL ARCH [RUNS [EXTENT]]\n", stderr);
    return 2;
  }
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "tenon-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    return 1;
  int result =
      compare(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 1,
              argc > 4 ? std::atol(argv[4]) : 1, pattern + "/model.so");
  fs::remove_all(pattern);
  return result;
}
