// Code generation that fails, in the place of compilePart (--wrap), for
// modules with a function that is called `fault_in_code`.
#include "compiler/codegen/PartCompiler.h"

namespace tenon {

std::string
compileSoundPart(llvm::Module &module, llvm::TargetMachine &machine,
                 const TargetChoice &target, CodeForm form,
                 Bytes &bytes) __asm__("__real_" TENON_TEST_COMPILE_PART);
std::string
compileFaultyPart(llvm::Module &module, llvm::TargetMachine &machine,
                  const TargetChoice &target, CodeForm form,
                  Bytes &bytes) __asm__("__wrap_" TENON_TEST_COMPILE_PART);

std::string compileFaultyPart(llvm::Module &module,
                              llvm::TargetMachine &machine,
                              const TargetChoice &target, CodeForm form,
                              Bytes &bytes) {
  for (const llvm::Function &function : module)
    if (function.getName().starts_with("fault_in_code."))
      return "injected fault in the code for " + target.cpu;
  return compileSoundPart(module, machine, target, form, bytes);
}

} // namespace tenon
