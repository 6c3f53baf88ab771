// Compiles the text of the module and calls the artifact by the C interface.
#include "test/unit/generation/CompiledStep.h"

#include "compiler/Compiler.h"
#include "runtime/tenon.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon::test {

[[noreturn]] static void fail(const std::string &what) {
  llvm::report_fatal_error(llvm::StringRef(what), /*gen_crash_diag=*/false);
}

static int32_t dtypeOf(Type element) {
  if (element.isF32())
    return TENON_F32;
  return element.isInteger(1) ? TENON_BOOL : TENON_I64;
}

struct CompiledStep::Artifact {
  llvm::SmallString<128> folder;
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;

  explicit Artifact(ModuleOp module) {
    if (llvm::sys::fs::createUniqueDirectory("tenon-step", folder))
      fail("no folder can be made");
    CompileOptions options;
    options.input = file("step.mlir");
    options.output = file("step.so");
    options.verifyEachPass = true;
    std::error_code error;
    llvm::raw_fd_ostream out(options.input, error);
    module.print(out);
    out.close();
    std::string text;
    Compiler compiler(
        [&](const Diagnostic &d) { text += formatDiagnostic(d); });
    if (compiler.compile(options).status != Status::Success)
      fail(text);
    tenon_open_options open = {};
    open.struct_size = sizeof open;
    open.threads = 2;
    tenon_context_options making = {};
    making.struct_size = sizeof making;
    if (tenon_open(options.output.c_str(), &open, &model) != TENON_OK ||
        tenon_context_create(model, &making, &context) != TENON_OK)
      fail("the artifact cannot be opened");
  }

  ~Artifact() {
    tenon_context_destroy(context);
    tenon_close(model);
    llvm::sys::fs::remove_directories(folder);
  }

  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
};

CompiledStep::CompiledStep(ModuleOp module)
    : artifact(std::make_unique<Artifact>(module)) {}

CompiledStep::~CompiledStep() = default;

std::vector<HostTensor> CompiledStep::run(const std::string &entry,
                                          ArrayRef<HostTensor> inputs,
                                          ArrayRef<Type> outputs) {
  std::vector<std::vector<char>> bytes;
  std::vector<std::vector<int64_t>> dims;
  for (const HostTensor &input : inputs) {
    bytes.push_back(input.toBytes());
    dims.emplace_back(input.shape.begin(), input.shape.end());
  }
  std::vector<tenon_tensor> ins, outs(outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    ins.push_back({sizeof(tenon_tensor), nullptr, dtypeOf(inputs[i].element),
                   int32_t(dims[i].size()), dims[i].data(), bytes[i].data(),
                   bytes[i].size(), TENON_ON_HOST});
  for (tenon_tensor &out : outs) {
    out = {};
    out.struct_size = sizeof out;
  }
  if (tenon_run(artifact->context, entry.c_str(), ins.data(), ins.size(),
                outs.data(), outs.size()) != TENON_OK)
    fail(tenon_context_text(artifact->context));
  std::vector<HostTensor> results;
  for (auto [out, type] : llvm::zip_equal(outs, outputs)) {
    auto result = HostTensor::fromBytes(
        getElementTypeOrSelf(type), ArrayRef(out.dims, size_t(out.rank)),
        ArrayRef(static_cast<const char *>(out.data), out.bytes));
    if (!result)
      fail(llvm::toString(result.takeError()));
    results.push_back(std::move(*result));
  }
  return results;
}

} // namespace tenon::test
