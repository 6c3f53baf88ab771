// LLVM is driven here and nowhere else. Its own reports are collected by the
// context's handler and become one internal error; the same module gives the
// same bytes.
#include "compiler/codegen/ModuleCompiler.h"

#include "compiler/codegen/SingleLaneStores.h"
#include "runtime/core/embedded.h"
#include "runtime/tenon_abi.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon {

ModuleCompiler::ModuleCompiler(const TargetChoice &target,
                               DiagnosticHandler report)
    : target(target), report(std::move(report)),
      machine(makeTargetMachine(target)) {
  context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *info, void *self) {
        if (info->getSeverity() != DS_Error)
          return;
        raw_string_ostream out(static_cast<ModuleCompiler *>(self)->problems);
        DiagnosticPrinterRawOStream printer(out);
        info->print(printer);
        out << "; ";
      },
      this);
}

ModuleCompiler::~ModuleCompiler() = default;

bool ModuleCompiler::fail(std::string text) {
  Diagnostic diagnostic;
  diagnostic.text = "internal error: " + std::move(text);
  if (!problems.empty())
    diagnostic.details.push_back(problems);
  diagnostic.status = Status::Internal;
  report(diagnostic);
  return false;
}

bool ModuleCompiler::translate(mlir::ModuleOp module, const std::string &name) {
  if (!machine)
    return fail("LLVM has no code generator for " + target.triple);
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  llvmModule = mlir::translateModuleToLLVMIR(module, context, name);
  if (!llvmModule)
    return fail("the module cannot be translated to LLVM IR");
  llvmModule->setSourceFileName(name);
  llvmModule->setTargetTriple(machine->getTargetTriple());
  llvmModule->setDataLayout(machine->createDataLayout());
  llvmModule->setPICLevel(PICLevel::BigPIC);
  if (!linkCore())
    return false;
  for (Function &function : *llvmModule)
    if (!function.isDeclaration()) {
      function.setLinkage(GlobalValue::InternalLinkage);
      function.setVisibility(GlobalValue::DefaultVisibility);
      function.setComdat(nullptr);
    }
  for (GlobalVariable &global : llvmModule->globals())
    if (!global.isDeclaration() && !global.hasLocalLinkage() &&
        !global.hasAppendingLinkage()) {
      global.setLinkage(GlobalValue::InternalLinkage);
      global.setVisibility(GlobalValue::DefaultVisibility);
    }
  setAttributes();
  return true;
}

bool ModuleCompiler::linkCore() {
  StringRef bytes(reinterpret_cast<const char *>(tenon_core_bitcode),
                  tenon_core_bitcode_size);
  auto core = parseBitcodeFile(MemoryBufferRef(bytes, "core"), context);
  if (!core)
    return fail("the core cannot be read: " + toString(core.takeError()));
  (*core)->setTargetTriple(llvmModule->getTargetTriple());
  (*core)->setDataLayout(llvmModule->getDataLayout());
  // Its flags would compete with ours, and a producer's name has no place in a
  // model.
  for (StringRef flags : {"llvm.module.flags", "llvm.ident"})
    if (NamedMDNode *node = (*core)->getNamedMetadata(flags))
      (*core)->eraseNamedMetadata(node);
  if (Linker::linkModules(*llvmModule, std::move(*core),
                          Linker::Flags::LinkOnlyNeeded))
    return fail("the core cannot be linked");
  return true;
}

void ModuleCompiler::setAttributes() {
  for (Function &function : *llvmModule) {
    if (function.isDeclaration())
      continue;
    for (StringRef name : {"target-cpu", "target-features", "tune-cpu",
                           "min-legal-vector-width", "frame-pointer"})
      function.removeFnAttr(name);
    function.addFnAttr("target-cpu", "x86-64");
    function.addFnAttr("target-features", target.features);
    function.addFnAttr("tune-cpu", target.cpu);
    function.addFnAttr("prefer-vector-width",
                       std::to_string(target.vectorBytes * 8));
    function.addFnAttr(Attribute::NoUnwind);
  }
}

uint64_t ModuleCompiler::featuresInUse() const {
  // Tiles come into code through intrinsics alone.
  bool usesTiles = any_of(*llvmModule, [](const Function &function) {
    StringRef name = function.getName();
    return name.starts_with("llvm.x86.tile") ||
           name.starts_with("llvm.x86.td") ||
           name.starts_with("llvm.x86.ldtilecfg");
  });
  uint64_t tiles = TENON_CPU_AMX_TILE | TENON_CPU_AMX_BF16 | TENON_CPU_AMX_INT8;
  return usesTiles ? target.cpuFeatures : target.cpuFeatures & ~tiles;
}

bool ModuleCompiler::optimize() {
  std::string broken;
  raw_string_ostream out(broken);
  if (verifyModule(*llvmModule, &out))
    return fail("the LLVM IR is not valid: " + broken);
  PipelineTuningOptions tuning;
  tuning.SLPVectorization = target.optLevel >= 2;
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  const OptimizationLevel levels[] = {
      OptimizationLevel::O0, OptimizationLevel::O1, OptimizationLevel::O2,
      OptimizationLevel::O3};
  OptimizationLevel level = levels[std::clamp(target.optLevel, 0, 3)];
  ModulePassManager passes = level == OptimizationLevel::O0
                                 ? builder.buildO0DefaultPipeline(level)
                                 : builder.buildPerModuleDefaultPipeline(level);
  passes.run(*llvmModule, modules);
  replaceSingleLaneStores(*llvmModule);
  return problems.empty() || fail("the optimizer reported an error");
}

bool ModuleCompiler::emit(CodeForm form, SmallVectorImpl<char> &bytes) {
  raw_svector_ostream out(bytes);
  if (form == CodeForm::LlvmIr) {
    llvmModule->print(out, nullptr);
    return true;
  }
  if (form == CodeForm::Bitcode) {
    WriteBitcodeToFile(*llvmModule, out);
    return true;
  }
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr,
                                   form == CodeForm::Object
                                       ? CodeGenFileType::ObjectFile
                                       : CodeGenFileType::AssemblyFile))
    return fail("LLVM cannot emit this kind of file");
  passes.run(*llvmModule);
  return problems.empty() || fail("the code generator reported an error");
}

/// What C's library must have, and what its mathematical part must.
static bool isOfLibc(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"memcpy", "memmove", "memset", "memcmp", "bcmp"}, true)
      .Case("_GLOBAL_OFFSET_TABLE_", true)
      .Default(false);
}
static bool isOfLibm(StringRef name) {
  static const StringSet<> functions = {
      "acos",      "acosh", "asin",      "asinh", "atan",      "atan2", "atanh",
      "cbrt",      "ceil",  "copysign",  "cos",   "cosh",      "erf",   "erfc",
      "exp",       "exp10", "exp2",      "expm1", "fabs",      "floor", "fma",
      "fmax",      "fmin",  "fmod",      "ldexp", "lgamma",    "log",   "log10",
      "log1p",     "log2",  "nearbyint", "pow",   "remainder", "rint",  "round",
      "roundeven", "sin",   "sincos",    "sinh",  "sqrt",      "tan",   "tanh",
      "tgamma",    "trunc"};
  return functions.contains(name) ||
         (name.ends_with("f") && functions.contains(name.drop_back()));
}

bool ModuleCompiler::checkUndefined(ArrayRef<char> object,
                                    ArrayRef<std::string> ours,
                                    bool &needsLibm) {
  auto file = object::ObjectFile::createObjectFile(
      MemoryBufferRef(StringRef(object.data(), object.size()), "object"));
  if (!file)
    return fail("the object cannot be read: " + toString(file.takeError()));
  needsLibm = false;
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags || !name) {
      consumeError(flags.takeError());
      consumeError(name.takeError());
      return fail("the object has a damaged symbol table");
    }
    if (!(*flags & object::SymbolRef::SF_Undefined) || name->empty() ||
        is_contained(ours, name->str()) || isOfLibc(*name))
      continue;
    if (!isOfLibm(*name))
      return fail("the code calls '" + name->str() +
                  "', which no library of C has");
    needsLibm = true;
  }
  return true;
}

} // namespace tenon
