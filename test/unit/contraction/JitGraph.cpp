// Runs the phases, the translation and the optimization, and calls the code
// with the ABI's structure.
#include "test/unit/contraction/JitGraph.h"

#include "compiler/codegen/Optimizer.h"
#include "compiler/pipeline/Pipelines.h"
#include "dialects/tenon/Annotations.h"
#include "runtime/core/embedded.h"
#include "runtime/tenon_abi.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <cstdlib>

using namespace mlir;

namespace tenon {
namespace {

[[noreturn]] void fail(const char *what) {
  llvm::report_fatal_error(what, /*gen_crash_diag=*/false);
}

int64_t taskStep = 1;

/// The core's parallel loop without threads, in ranges of `taskStep` tasks.
void runTasks(tenon_call *, tenon_task_fn fn, void *arguments, int64_t count,
              int64_t, int64_t) {
  for (int64_t begin = 0; begin < count; begin += taskStep)
    fn(arguments, begin, std::min(begin + taskStep, count));
}
void ignoreBegin(tenon_call *, int32_t, int64_t, int64_t) {}
int32_t goOn(tenon_call *, int32_t, int64_t, int64_t) { return 0; }
void ignoreFault(void *, int32_t, int32_t, int64_t, int64_t, int64_t) {
  fail("a kernel reported a fault");
}

OwningOpRef<ModuleOp> lower(MLIRContext &context, const std::string &text,
                            JitTarget target) {
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    fail("the graphs under test do not parse");
  PipelineOptions options;
  auto has = [&](const char *feature) {
    return llvm::is_contained(target.features, feature);
  };
  annotation::machine.set(
      *module, MachineAttr::x86(&context, target.vectorBytes,
                                {.tiles = target.amxParts,
                                 .byteTiles = has("+amx-int8"),
                                 .pairs = has("+avx512bf16"),
                                 .quads = has("+avx512vnni") || has("+avxvnni"),
                                 .costlyBroadcasts = target.costlyBroadcasts}));
  PassManager passes(&context);
  buildPhases(passes, phaseTable().front(), phaseTable().back(), options);
  if (failed(passes.run(*module)))
    fail("a phase failed on the graphs under test");
  return module;
}

/// Links the core's functions for rows. The test has its own parallel loop.
void linkCore(llvm::Module &module) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(tenon_core_bitcode),
                        tenon_core_bitcode_size);
  auto core = llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "core"),
                                     module.getContext());
  if (!core)
    fail("the core cannot be read");
  (*core)->setTargetTriple(module.getTargetTriple());
  (*core)->setDataLayout(module.getDataLayout());
  for (const char *flags : {"llvm.module.flags", "llvm.ident"})
    if (llvm::NamedMDNode *node = (*core)->getNamedMetadata(flags))
      (*core)->eraseNamedMetadata(node);
  for (const char *own : {"tenon_core_begin", "tenon_core_end",
                          "tenon_core_parallel", "tenon_core_fault"})
    (*core)->getFunction(own)->deleteBody();
  if (llvm::Linker::linkModules(module, std::move(*core),
                                llvm::Linker::LinkOnlyNeeded))
    fail("the core cannot be linked");
}
} // namespace

std::vector<JitTarget> jitTargets() {
  std::vector<JitTarget> targets{{"x86-64-v3", 32}};
  if (llvm::sys::getHostCPUFeatures().lookup("avx512vl"))
    targets.push_back({"x86-64-v4", 64, {}, 0, /*optimize=*/false});
  return targets;
}

JitGraph::JitGraph(const std::string &text, JitTarget target) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerPipelineDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = lower(context, text, target);

  llvm::ExitOnError check("jit: ");
  llvm::orc::JITTargetMachineBuilder machine{
      llvm::Triple(llvm::sys::getProcessTriple())};
  machine.setCPU(target.cpu);
  machine.addFeatures(target.features);
  if (!target.optimize)
    machine.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto forPasses = check(machine.createTargetMachine());
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto code = translateModuleToLLVMIR(*module, *llvmContext);
  if (!code)
    fail("the graphs under test do not translate");
  code->setDataLayout(forPasses->createDataLayout());
  code->setTargetTriple(forPasses->getTargetTriple());
  linkCore(*code);
  for (llvm::Function &function : *code) {
    function.addFnAttr("target-cpu", target.cpu);
    function.addFnAttr("target-features", machine.getFeatures().getString());
    function.addFnAttr("prefer-vector-width",
                       std::to_string(target.vectorBytes * 8));
  }
  hasTiles = llvm::any_of(*code, [](const llvm::Function &function) {
    return function.getName().starts_with("llvm.x86.tdp");
  });
  optimize(*code, *forPasses, target.optimize ? 2 : 0);
  jit = check(llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(machine))
                  .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                  .create());
  llvm::orc::SymbolMap core;
  auto add = [&](const char *name, auto *function) {
    core[jit->mangleAndIntern(name)] = {
        llvm::orc::ExecutorAddr::fromPtr(function),
        llvm::JITSymbolFlags::Exported};
  };
  add("tenon_core_begin", ignoreBegin);
  add("tenon_core_end", goOn);
  add("tenon_core_parallel", runTasks);
  add("tenon_core_fault", ignoreFault);
  check(jit->getMainJITDylib().define(
      llvm::orc::absoluteSymbols(std::move(core))));
  check(jit->addIRModule(
      llvm::orc::ThreadSafeModule(std::move(code), std::move(llvmContext))));
}

void JitGraph::runAll(const std::string &function,
                      const std::vector<JitTensor> &inputs,
                      const std::vector<JitTensor> &outputs,
                      int64_t step) const {
  llvm::ExitOnError check("jit: ");
  using Entry = int32_t (*)(tenon_call *);
  auto plan = check(jit->lookup(function + ".plan_entry")).toPtr<Entry>();
  auto run = check(jit->lookup(function + ".run_entry")).toPtr<Entry>();
  std::vector<const void *> data;
  std::vector<const int64_t *> dims;
  for (const JitTensor &input : inputs) {
    data.push_back(input.data);
    dims.push_back(input.dims.data());
  }
  std::vector<std::vector<int64_t>> outputDims;
  for (const JitTensor &output : outputs)
    outputDims.emplace_back(output.dims.size());
  std::vector<int64_t *> outputDimsOf;
  std::vector<void *> outputData;
  for (size_t i = 0; i < outputs.size(); ++i) {
    outputDimsOf.push_back(outputDims[i].data());
    outputData.push_back(outputs[i].data);
  }
  tenon_call call{};
  call.struct_size = sizeof call;
  call.inputs = data.data();
  call.input_dims = dims.data();
  call.outputs = outputData.data();
  call.output_dims = outputDimsOf.data();
  if (plan(&call) != 0)
    fail("the plan refuses the inputs");
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputDims[i] != outputs[i].dims)
      fail("the plan disagrees with the extents expected");
  std::unique_ptr<void, decltype(&std::free)> arena(
      std::aligned_alloc(64, (call.arena_bytes + 64) / 64 * 64), &std::free);
  call.arena = arena.get();
  taskStep = step;
  if (run(&call) != 0)
    fail("a graph under test did not run");
}

} // namespace tenon
