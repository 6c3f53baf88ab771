// Writes the graph as text, compiles it, opens the artifact and copies tensors
// in and out.
#include "test/random/CompiledBackend.h"

#include "compiler/Compiler.h"
#include "dialects/tenon/Annotations.h"
#include "runtime/tenon.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace mlir;

namespace tenon {

static int32_t dtypeOf(Type element) {
  if (element.isF32())
    return TENON_F32;
  if (element.isF64())
    return TENON_F64;
  if (element.isF16())
    return TENON_F16;
  if (element.isBF16())
    return TENON_BF16;
  if (isBoolElement(element))
    return TENON_BOOL;
  int first = isUnsignedElement(element) ? TENON_U8 : TENON_I8;
  unsigned width = elementWidth(element);
  return first + (width > 8) + (width > 16) + (width > 32);
}

namespace {
/// A temporary folder, removed with the object.
struct ScratchFolder {
  llvm::SmallString<128> path;
  ScratchFolder() {
    if (llvm::sys::fs::createUniqueDirectory("tenon-random", path))
      path.clear();
  }
  ~ScratchFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }
};
} // namespace

static llvm::Error writeFile(const std::string &path, ArrayRef<char> bytes) {
  std::error_code failed;
  llvm::raw_fd_ostream out(path, failed);
  if (!failed) {
    out.write(bytes.data(), bytes.size());
    out.close();
    failed = out.error();
  }
  return failed ? llvm::createStringError(failed.message())
                : llvm::Error::success();
}

/// Compiles the graph to `output` and returns the precision of its products.
static llvm::Expected<MatmulPrecision> compileTo(const RandomGraph &graph,
                                                 const ScratchFolder &folder,
                                                 const std::string &output,
                                                 CompileOptions options) {
  options.input = folder.file("graph.mlir");
  options.output = output;
  std::string program;
  llvm::raw_string_ostream printed(program);
  ModuleOp(*graph.module)
      .print(printed, OpPrintingFlags().enableDebugInfo(true));
  if (llvm::Error error = writeFile(options.input, program))
    return std::move(error);
  if (llvm::Error error =
          writeFile(folder.file(RandomGraph::weightFile), graph.weights))
    return std::move(error);
  std::string text;
  Compiler compiler([&](const Diagnostic &d) { text += formatDiagnostic(d); });
  CompileReport report = compiler.compile(options);
  if (report.status == Status::Success)
    return report.products;
  return llvm::createStringError("compile: " + text);
}

/// The outputs of all runs of the graph in one context.
static llvm::Expected<std::vector<HostTensor>>
runArtifact(const std::string &path, int threads, const RandomGraph &graph,
            uint64_t features = 0, const char *device = nullptr) {
  func::FuncOp function = graph.main();
  char why[1024] = "";
  tenon_open_options open = {};
  open.struct_size = sizeof open;
  open.error_text = why;
  open.error_text_bytes = sizeof why;
  open.threads = threads;
  open.cpu_feature_mask = features;
  open.device = device;
  tenon_model *model = nullptr;
  if (tenon_open(path.c_str(), &open, &model) != TENON_OK)
    return llvm::createStringError(std::string("open: ") + why);
  tenon_context *context = nullptr;
  std::vector<tenon_extent> extents;
  for (const auto &[name, size] : graph.contextExtents)
    extents.push_back({name.c_str(), size});
  tenon_context_options making = {};
  making.struct_size = sizeof making;
  making.error_text = why;
  making.error_text_bytes = sizeof why;
  making.extents = extents.data();
  making.num_extents = extents.size();
  if (tenon_context_create(model, &making, &context) != TENON_OK)
    return llvm::createStringError(std::string("context: ") + why);
  std::vector<std::vector<char>> bytes;
  std::vector<std::vector<int64_t>> dims;
  std::vector<tenon_tensor> ins, outs(function.getNumResults());
  for (const HostTensor &input : graph.inputs) {
    bytes.push_back(input.toBytes());
    dims.emplace_back(input.shape.begin(), input.shape.end());
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    ins.push_back({sizeof(tenon_tensor), nullptr,
                   dtypeOf(graph.inputs[i].element), int32_t(dims[i].size()),
                   dims[i].data(), bytes[i].data(), bytes[i].size(),
                   TENON_ON_HOST});
  for (tenon_tensor &out : outs) {
    out = {};
    out.struct_size = sizeof out;
  }
  std::vector<HostTensor> results;
  for (int run = 0; run < graph.runs; ++run) {
    if (tenon_run(context, nullptr, ins.data(), ins.size(), outs.data(),
                  outs.size()) != TENON_OK)
      return llvm::createStringError(std::string("run: ") +
                                     tenon_context_text(context));
    for (auto [out, type] : llvm::zip_equal(outs, function.getResultTypes())) {
      Type element = getElementTypeOrSelf(type);
      if (out.dtype != dtypeOf(element))
        return llvm::createStringError("an output has another element type");
      auto result = HostTensor::fromBytes(
          element, ArrayRef(out.dims, size_t(out.rank)),
          ArrayRef(static_cast<const char *>(out.data), out.bytes));
      if (!result)
        return result.takeError();
      results.push_back(std::move(*result));
    }
  }
  uint64_t calls[2] = {};
  if (tenon_describe(model)->functions[0].num_variants == 1 &&
      (tenon_get_calls(model, nullptr, calls, 2) != TENON_OK ||
       calls[1] != uint64_t(graph.runs)))
    return llvm::createStringError("the variant was not taken");
  tenon_context_destroy(context);
  tenon_close(model);
  return results;
}

/// Variants for the sizes of the inputs: one with all of them, and one with
/// each size separately.
static std::vector<VariantOption> variantsOf(const RandomGraph &graph) {
  std::map<std::string, int64_t> sizes;
  func::FuncOp main = graph.main();
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    DimsAttr dims = annotation::dims.of(main, i);
    for (unsigned d = 0; dims && d < dims.size(); ++d)
      if (StringAttr name = dims.nameOf(d))
        sizes.emplace(name.str(), graph.inputs[i].shape[d]);
  }
  std::vector<VariantOption> variants;
  if (sizes.empty())
    return variants;
  variants.push_back({{sizes.begin(), sizes.end()}});
  if (sizes.size() > 1)
    for (const auto &size : sizes)
      variants.push_back({{size}});
  return variants;
}

/// The bytes of a tensor with one pattern for every NaN: which NaN an operation
/// gives is left to the machine.
static std::vector<char> bytesOf(const HostTensor &tensor) {
  std::vector<char> bytes = tensor.toBytes();
  auto type = dyn_cast<FloatType>(tensor.element);
  if (!type)
    return bytes;
  unsigned width = type.getWidth() / 8;
  for (size_t at = 0; at < bytes.size(); at += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at], width);
    llvm::APFloat value(type.getFloatSemantics(),
                        llvm::APInt(type.getWidth(), bits));
    if (value.isNaN())
      std::memset(&bytes[at], -1, width);
  }
  return bytes;
}

/// The first output whose bytes differ; -1 if all are equal.
static int differentOutput(const std::vector<HostTensor> &a,
                           const std::vector<HostTensor> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].shape != b[i].shape || a[i].toBytes() != b[i].toBytes())
      return int(i);
  return -1;
}

static CompileOptions compileOptions(const CompiledOptions &options,
                                     const std::string &cpu) {
  CompileOptions compiling;
  compiling.optLevel = options.optLevel;
  compiling.verifyEachPass = true;
  compiling.cpu = cpu;
  compiling.matmulPrecision = options.precision;
  // CPUs with bf16 tiles give other bits by default, so ask for strict
  // products.
  bool several = !options.otherCpus.empty() || !options.versions.empty() ||
                 !options.devices.empty();
  if (several && options.precision == MatmulPrecision::F32)
    compiling.matmulPrecision = MatmulPrecision::Strict;
  return compiling;
}

/// Runs again and expects the bits of the first run. `where` describes the
/// difference of the runs.
static llvm::Error checkBits(const RandomGraph &graph,
                             const std::string &artifact, int threads,
                             const std::vector<HostTensor> &expected,
                             const std::string &where, uint64_t features = 0) {
  auto results = runArtifact(artifact, threads, graph, features);
  if (!results)
    return results.takeError();
  int different = differentOutput(expected, *results);
  if (different < 0)
    return llvm::Error::success();
  return llvm::createStringError("output " + std::to_string(different) +
                                 " has other bits " + where);
}

/// Expects equal bits from every version of one artifact. Each runs on a
/// simulated machine with just the features it needs.
static llvm::Error checkVersions(const RandomGraph &graph,
                                 const ScratchFolder &folder,
                                 const CompiledOptions &options,
                                 const std::vector<HostTensor> &expected) {
  if (options.versions.empty())
    return llvm::Error::success();
  std::string artifact = folder.file("versions.so");
  CompileOptions compiling = compileOptions(options, options.cpu);
  compiling.versions = options.versions;
  if (auto products = compileTo(graph, folder, artifact, compiling); !products)
    return products.takeError();
  for (const std::string &cpu : options.versions) {
    uint64_t features = Compiler::cpuFeatures(cpu);
    if (features & ~tenon_host_cpu_features())
      continue;
    if (llvm::Error error =
            checkBits(graph, artifact, options.threads.front(), expected,
                      "in the version " + cpu, features))
      return error;
  }
  return llvm::Error::success();
}

/// Expects equal bits from an artifact for each device, but for the kind of a
/// NaN.
static llvm::Error checkDevices(const RandomGraph &graph,
                                const ScratchFolder &folder,
                                const CompiledOptions &options,
                                const std::vector<HostTensor> &expected) {
  for (const std::string &device : options.devices) {
    std::string artifact = folder.file(device + ".so");
    CompileOptions compiling = compileOptions(options, options.cpu);
    compiling.devices = {device};
    compiling.versionsForCpus = false;
    if (auto products = compileTo(graph, folder, artifact, compiling);
        !products)
      return products.takeError();
    auto results =
        runArtifact(artifact, options.threads.front(), graph, 0, "cuda");
    if (!results)
      return results.takeError();
    for (auto [i, want, got] : llvm::enumerate(expected, *results))
      if (want.shape != got.shape || bytesOf(want) != bytesOf(got))
        return llvm::createStringError("output " + std::to_string(i) +
                                       " has other bits on " + device);
  }
  return llvm::Error::success();
}

/// Expects the bits of the code for all sizes from each variant.
static llvm::Error checkVariants(const RandomGraph &graph,
                                 const ScratchFolder &folder,
                                 const CompiledOptions &options,
                                 const std::vector<HostTensor> &expected) {
  for (const VariantOption &variant : variantsOf(graph)) {
    std::string artifact = folder.file("variant.so"), text;
    for (const auto &[name, size] : variant.sizes)
      text += " " + name + "=" + std::to_string(size);
    CompileOptions compiling = compileOptions(options, options.cpu);
    compiling.variants = {variant};
    if (auto products = compileTo(graph, folder, artifact, compiling);
        !products)
      return products.takeError();
    if (llvm::Error error = checkBits(graph, artifact, options.threads.front(),
                                      expected, "in the variant" + text))
      return error;
  }
  return llvm::Error::success();
}

Backend compiledBackend(CompiledOptions options) {
  return [options](RandomGraph &graph) -> llvm::Expected<Computed> {
    ScratchFolder folder;
    if (folder.path.empty())
      return llvm::createStringError("no folder can be made");
    graph.module->walk([&](WeightOp weight) {
      WeightSourceAttr source = *weight.getSource();
      weight.setSourceAttr(WeightSourceAttr::get(
          source.getContext(),
          StringAttr::get(source.getContext(),
                          folder.file(RandomGraph::weightFile)),
          source.getOffset(), source.getLength()));
    });
    std::vector<std::string> cpus = {options.cpu};
    llvm::append_range(cpus, options.otherCpus);
    Computed first({});
    for (const std::string &cpu : cpus) {
      std::string artifact = folder.file(cpu + ".so");
      CompileOptions compiling = compileOptions(options, cpu);
      if (cpu != options.cpu)
        compiling.optLevel = 0;
      auto products = compileTo(graph, folder, artifact, compiling);
      if (!products)
        return products.takeError();
      first.bf16Products |= *products == MatmulPrecision::Bf16;
      for (int threads : options.threads) {
        if (first.outputs.empty()) {
          auto results = runArtifact(artifact, threads, graph);
          if (!results)
            return results.takeError();
          first.outputs = std::move(*results);
        } else if (llvm::Error error =
                       checkBits(graph, artifact, threads, first.outputs,
                                 "with " + std::to_string(threads) +
                                     " threads on " + cpu)) {
          return std::move(error);
        }
      }
    }
    if (llvm::Error error =
            checkVersions(graph, folder, options, first.outputs))
      return std::move(error);
    if (llvm::Error error = checkDevices(graph, folder, options, first.outputs))
      return std::move(error);
    if (options.specialize)
      if (llvm::Error error =
              checkVariants(graph, folder, options, first.outputs))
        return std::move(error);
    return first;
  };
}

} // namespace tenon
