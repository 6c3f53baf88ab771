// The context's handler collects LLVM's errors. They are internal errors: the
// module that we built was wrong.
#include "compiler/codegen/PartCompiler.h"

#include "compiler/codegen/Optimizer.h"
#include "runtime/core/embedded.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon {
namespace {
void collectProblem(const DiagnosticInfo *info, void *problems) {
  if (info->getSeverity() != DS_Error)
    return;
  raw_string_ostream out(*static_cast<std::string *>(problems));
  DiagnosticPrinterRawOStream printer(out);
  info->print(printer);
  out << "; ";
}

/// Links the core's functions that `module` calls, as internal functions.
/// Returns an error text, or an empty string.
std::string linkCore(Module &module, StringRef bytes) {
  StringSet<> ours;
  for (const Function &function : module)
    if (!function.isDeclaration())
      ours.insert(function.getName());
  auto core =
      parseBitcodeFile(MemoryBufferRef(bytes, "core"), module.getContext());
  if (!core)
    return "the core cannot be read: " + toString(core.takeError());
  (*core)->setTargetTriple(module.getTargetTriple());
  (*core)->setDataLayout(module.getDataLayout());
  // The core's module flags could conflict with ours, and a model must not name
  // the producer of the core.
  for (StringRef flags : {"llvm.module.flags", "llvm.ident"})
    if (NamedMDNode *node = (*core)->getNamedMetadata(flags))
      (*core)->eraseNamedMetadata(node);
  if (Linker::linkModules(module, std::move(*core),
                          Linker::Flags::LinkOnlyNeeded))
    return "the core cannot be linked";
  for (Function &function : module)
    if (!function.isDeclaration() && !ours.contains(function.getName())) {
      function.setLinkage(GlobalValue::InternalLinkage);
      function.setVisibility(GlobalValue::DefaultVisibility);
      function.setComdat(nullptr);
      for (StringRef name : {"target-cpu", "target-features", "tune-cpu",
                             "min-legal-vector-width", "frame-pointer"})
        function.removeFnAttr(name);
    }
  return "";
}

std::string emit(Module &module, TargetMachine &machine, CodeForm form,
                 Bytes &bytes) {
  raw_svector_ostream out(bytes);
  if (form == CodeForm::LlvmIr) {
    module.print(out, nullptr);
    return "";
  }
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr,
                                  form == CodeForm::Assembly
                                      ? CodeGenFileType::AssemblyFile
                                      : CodeGenFileType::ObjectFile))
    return "LLVM cannot emit this kind of file";
  passes.run(module);
  return "";
}
} // namespace

void setTarget(Function &function, const TargetChoice &target) {
  function.addFnAttr("target-cpu", "x86-64");
  function.addFnAttr("target-features", target.features);
  function.addFnAttr("tune-cpu", target.cpu);
  function.addFnAttr("prefer-vector-width",
                     std::to_string(target.vectorBytes * 8));
  function.addFnAttr(Attribute::NoUnwind);
  // An overflow of the stack then stops at the guard page, never beyond it.
  function.addFnAttr("probe-stack", "inline-asm");
}

std::string compileWithCore(Module &module, TargetMachine &machine,
                            int optLevel, StringRef core, CodeForm form,
                            Bytes &bytes,
                            function_ref<void(Function &)> prepare) {
  std::string problems;
  module.getContext().setDiagnosticHandlerCallBack(collectProblem, &problems);
  std::string wrong = linkCore(module, core);
  if (wrong.empty()) {
    for (Function &function : module)
      if (prepare && !function.isDeclaration())
        prepare(function);
    raw_string_ostream out(wrong);
    if (verifyModule(module, &out))
      wrong = "the LLVM IR is not valid: " + wrong;
  }
  if (wrong.empty()) {
    optimize(module, machine, optLevel);
    wrong = emit(module, machine, form, bytes);
  }
  module.getContext().setDiagnosticHandlerCallBack(nullptr);
  if (wrong.empty() && !problems.empty())
    wrong = "LLVM reported an error";
  return problems.empty() ? wrong : wrong + ": " + problems;
}

std::string compilePart(Module &module, TargetMachine &machine,
                        const TargetChoice &target, CodeForm form,
                        Bytes &bytes) {
  StringRef core(reinterpret_cast<const char *>(tenon_core_bitcode),
                 tenon_core_bitcode_size);
  return compileWithCore(module, machine, target.optLevel, core, form, bytes,
                         [&](Function &function) {
                           if (!function.hasFnAttribute("target-cpu"))
                             setTarget(function, target);
                         });
}

} // namespace tenon
