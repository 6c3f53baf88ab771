// Translates the kernels to LLVM IR once. Each architecture then reads the
// bitcode into a context of its own, gets the core linked in, and is optimized
// and emitted.
#include "compiler/codegen/DeviceCode.h"

#include "compiler/codegen/PartCompiler.h"
#include "dialects/tenon/Annotations.h"
#include "runtime/core/embedded.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace tenon {

/// Names in PTX have no dots.
static std::string nameInPtx(StringRef name) {
  std::string made = name.str();
  std::replace(made.begin(), made.end(), '.', '_');
  return made;
}

/// Makes everything but the kernels internal, so that what is inlined goes.
static void hideFunctions(Module &module) {
  for (GlobalObject &global : module.global_objects()) {
    auto *function = dyn_cast<Function>(&global);
    if (global.isDeclaration())
      continue;
    if (function && function->getCallingConv() == CallingConv::PTX_Kernel) {
      function->setName(nameInPtx(function->getName()));
      continue;
    }
    global.setLinkage(GlobalValue::InternalLinkage);
    global.setVisibility(GlobalValue::DefaultVisibility);
  }
  for (Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(Attribute::NoUnwind);
}

static std::string compileImage(StringRef bitcode, const TargetChoice &target,
                                DeviceImage &image) {
  LLVMContext context;
  auto module = parseBitcodeFile(MemoryBufferRef(bitcode, "device"), context);
  if (!module)
    return toString(module.takeError());
  std::unique_ptr<TargetMachine> machine =
      makeDeviceMachine(target, image.architecture);
  if (!machine)
    return "LLVM has no code generator for nvptx64";
  (*module)->setTargetTriple(machine->getTargetTriple());
  (*module)->setDataLayout(machine->createDataLayout());
  StringRef core(reinterpret_cast<const char *>(tenon_device_core_bitcode),
                 tenon_device_core_bitcode_size);
  Bytes bytes;
  std::string wrong = compileWithCore(**module, *machine, target.optLevel, core,
                                      CodeForm::Assembly, bytes);
  image.text.assign(bytes.begin(), bytes.end());
  return wrong;
}

std::string compileDevice(mlir::ModuleOp device, const TargetChoice &target,
                          Workers &workers, DeviceCode &code) {
  mlir::registerBuiltinDialectTranslation(*device.getContext());
  mlir::registerLLVMDialectTranslation(*device.getContext());
  mlir::registerNVVMDialectTranslation(*device.getContext());
  LLVMContext context;
  std::unique_ptr<Module> module =
      mlir::translateModuleToLLVMIR(device, context, "kernels");
  if (!module)
    return "the kernels cannot be translated to LLVM IR";
  hideFunctions(*module);
  for (auto function : device.getOps<mlir::LLVM::LLVMFuncOp>())
    if (auto threads = annotation::threads.of(function))
      code.entries.push_back({nameInPtx(function.getName()), threads.getInt(),
                              int64_t(function.getNumArguments())});
  Bytes bitcode;
  raw_svector_ostream stream(bitcode);
  WriteBitcodeToFile(*module, stream);
  for (const DeviceArchitecture &architecture : target.architectures)
    code.images.push_back({architecture, "", ""});
  std::vector<std::string> wrong(code.images.size());
  workers.forEach(code.images.size(), [&](unsigned i) {
    wrong[i] = compileImage(StringRef(bitcode.data(), bitcode.size()), target,
                            code.images[i]);
  });
  for (const std::string &each : wrong)
    if (!each.empty())
      return each;
  return "";
}

} // namespace tenon
