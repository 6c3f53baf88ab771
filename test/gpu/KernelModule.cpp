// Each side runs in this process: the device is a library that is loaded as the
// driver.
#include "test/gpu/KernelModule.h"

#include "test/gpu/DeviceBuffer.h"

#include <filesystem>
#include <fstream>
#include <memory>

namespace tenon::test {

namespace {
struct Opened {
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  std::string wrong;

  Opened(const std::string &artifact, const char *device) {
    char text[1024] = "";
    tenon_open_options options{};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    options.threads = 1;
    options.device = device;
    if (tenon_open(artifact.c_str(), &options, &model) != TENON_OK ||
        tenon_context_create(model, nullptr, &context) != TENON_OK)
      wrong = text;
  }
  ~Opened() {
    tenon_context_destroy(context);
    tenon_close(model);
  }
};

/// Gives all NaN the same bits: their signs and payloads depend on the
/// processor.
void joinNans(std::vector<char> &bytes, int32_t dtype) {
  for (size_t i = 0; dtype == TENON_F32 && i < bytes.size(); i += 4) {
    float value;
    std::memcpy(&value, &bytes[i], 4);
    if (value != value)
      std::memcpy(&bytes[i], &nan, 4);
  }
  for (size_t i = 0; dtype == TENON_F64 && i < bytes.size(); i += 8) {
    double value;
    std::memcpy(&value, &bytes[i], 8);
    if (value != value)
      std::memcpy(&bytes[i], "\xff\xff\xff\xff\xff\xff\xff\x7f", 8);
  }
  const int infinite = dtype == TENON_F16 ? 0x7c00 : 0x7f80;
  for (size_t i = 0;
       (dtype == TENON_F16 || dtype == TENON_BF16) && i < bytes.size();
       i += 2) {
    uint16_t bits;
    std::memcpy(&bits, &bytes[i], 2);
    if ((bits & 0x7fff) > infinite)
      std::memcpy(&bytes[i], "\xff\x7f", 2);
  }
}

/// The results' bytes; a NaN as one of its kind.
std::vector<std::vector<char>> run(Opened &opened, Module &module,
                                   size_t shift = 0) {
  std::vector<tenon_tensor> ins, outs(module.results.size());
  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
  for (Input &input : module.inputs) {
    tenon_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    tensor.dtype = input.dtype;
    tensor.rank = int32_t(input.dims.size());
    tensor.dims = input.dims.data();
    tensor.data = input.bytes.data();
    tensor.bytes = input.bytes.size();
    if (shift) {
      size_t offset = shift * (tensor.bytes / elementsOf(input.dims));
      buffers.push_back(std::make_unique<DeviceBuffer>(offset + tensor.bytes));
      buffers.back()->put(offset, tensor.data, tensor.bytes);
      tensor.data = static_cast<char *>(buffers.back()->data()) + offset;
      tensor.device = TENON_ON_DEVICE;
    }
    ins.push_back(tensor);
  }
  for (tenon_tensor &out : outs)
    out.struct_size = sizeof out;
  EXPECT_EQ(tenon_run(opened.context, nullptr, ins.data(), ins.size(),
                      outs.data(), outs.size()),
            TENON_OK)
      << tenon_context_text(opened.context);
  std::vector<std::vector<char>> results;
  for (tenon_tensor &out : outs) {
    auto *bytes = static_cast<const char *>(out.data);
    results.emplace_back(bytes, bytes + out.bytes);
    joinNans(results.back(), out.dtype);
  }
  return results;
}
} // namespace

void expectBits(Module &module, WeightFormat format, size_t shift) {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tenon-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(pattern.data()));
  std::string source = pattern + "/model.mlir", artifact = pattern + "/m.so";
  std::ofstream(source) << module.text(pattern);
  std::ofstream(pattern + "/weights")
      .write(reinterpret_cast<const char *>(module.weights.data()),
             std::streamsize(module.weights.size() * sizeof(float)));
  std::string messages;
  Compiler compiler(
      [&](const Diagnostic &d) { messages += formatDiagnostic(d); });
  CompileOptions options;
  options.input = source;
  options.output = artifact;
  options.devices = {"sm_75"};
  options.matmulPrecision = MatmulPrecision::Strict;
  options.weightFormat = format;
  ASSERT_EQ(compiler.compile(options).status, Status::Success)
      << messages << module.text(pattern);
  Opened cpu(artifact, nullptr), device(artifact, "cuda");
  ASSERT_EQ(cpu.wrong + device.wrong, "");
  auto here = run(cpu, module), there = run(device, module, shift);
  for (size_t i = 0; i < here.size(); ++i)
    EXPECT_EQ(here[i], there[i]) << "result " << i << " of\n"
                                 << module.text(pattern);
  std::filesystem::remove_all(pattern);
}

void KernelBits::SetUp() {
  ASSERT_TRUE(dlopen(TENON_STAND_IN, RTLD_NOW | RTLD_GLOBAL)) << dlerror();
}

} // namespace tenon::test
