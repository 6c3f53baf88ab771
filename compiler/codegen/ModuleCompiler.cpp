// Only this file and PartCompiler.cpp drive LLVM.
#include "compiler/codegen/ModuleCompiler.h"

#include "compiler/codegen/PartCompiler.h"
#include "compiler/codegen/Parts.h"
#include "runtime/tenon_abi.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tenon {

ModuleCompiler::ModuleCompiler(std::vector<TargetChoice> targets,
                               DiagnosticHandler report)
    : targets(std::move(targets)), report(std::move(report)),
      machine(makeTargetMachine(this->targets.back())) {}

ModuleCompiler::~ModuleCompiler() = default;

bool ModuleCompiler::fail(std::string text) {
  Diagnostic diagnostic;
  diagnostic.text = "internal error: " + std::move(text);
  diagnostic.status = Status::Internal;
  report(diagnostic);
  return false;
}

std::string ModuleCompiler::versionPrefix(const TargetChoice &target) const {
  if (targets.size() == 1)
    return "";
  std::string prefix = target.version() + ".";
  std::replace(prefix.begin(), prefix.end(), '-', '_');
  return prefix;
}

/// The features of `target` that the code of `module` may use.
static uint64_t featuresOf(const Module &module, const TargetChoice &target) {
  // Code uses AMX tiles only through these intrinsics.
  bool usesTiles = any_of(module, [](const Function &function) {
    StringRef name = function.getName();
    return name.starts_with("llvm.x86.tile") ||
           name.starts_with("llvm.x86.td") ||
           name.starts_with("llvm.x86.ldtilecfg");
  });
  uint64_t tiles = TENON_CPU_AMX_TILE | TENON_CPU_AMX_BF16 | TENON_CPU_AMX_INT8;
  return usesTiles ? target.cpuFeatures : target.cpuFeatures & ~tiles;
}

std::unique_ptr<Module> ModuleCompiler::translateOne(mlir::ModuleOp module,
                                                     const TargetChoice &target,
                                                     const std::string &name) {
  std::unique_ptr<Module> made =
      mlir::translateModuleToLLVMIR(module, context, name);
  if (!made)
    return nullptr;
  made->setSourceFileName(name);
  made->setTargetTriple(machine->getTargetTriple());
  made->setDataLayout(machine->createDataLayout());
  features.push_back(featuresOf(*made, target));
  for (GlobalObject &global : made->global_objects()) {
    if (global.isDeclaration())
      continue;
    if (targets.size() > 1)
      global.setName(versionPrefix(target) + global.getName());
    if (auto *function = dyn_cast<Function>(&global))
      setTarget(*function, target);
  }
  return made;
}

bool ModuleCompiler::translate(ArrayRef<mlir::ModuleOp> versions,
                               const std::string &name) {
  if (!machine)
    return fail("LLVM has no code generator for " + targets.back().triple);
  mlir::ModuleOp first = versions.front();
  mlir::registerBuiltinDialectTranslation(*first.getContext());
  mlir::registerLLVMDialectTranslation(*first.getContext());
  for (auto [version, target] : zip_equal(versions, targets)) {
    std::unique_ptr<Module> made = translateOne(version, target, name);
    if (!made)
      return fail("the module cannot be translated to LLVM IR");
    if (!llvmModule)
      llvmModule = std::move(made);
    else if (Linker::linkModules(*llvmModule, std::move(made)))
      return fail("the versions cannot be linked into one module");
  }
  llvmModule->setPICLevel(PICLevel::BigPIC);
  for (GlobalObject &global : llvmModule->global_objects())
    if (!global.isDeclaration() && !global.hasLocalLinkage() &&
        !global.hasAppendingLinkage()) {
      global.setLinkage(GlobalValue::InternalLinkage);
      global.setVisibility(GlobalValue::DefaultVisibility);
    }
  return true;
}

bool ModuleCompiler::compile(CodeForm form,
                             const std::vector<std::string> &kernels,
                             Workers &workers, std::vector<Bytes> &files) {
  const TargetChoice &least = targets.back();
  PartPlan plan;
  if (form == CodeForm::Objects)
    plan = planParts(*llvmModule, kernels);
  files.resize(plan.count);
  std::vector<std::string> wrong(plan.count);
  if (plan.count == 1) {
    wrong[0] = compilePart(*llvmModule, *machine, least, form, files[0]);
  } else {
    exportBetweenParts(*llvmModule, plan);
    // Each part is read lazily from the bitcode, by a context of its own.
    Bytes bitcode;
    raw_svector_ostream stream(bitcode);
    WriteBitcodeToFile(*llvmModule, stream);
    llvmModule.reset();
    workers.forEach(plan.count, [&](unsigned part) {
      LLVMContext own;
      MemoryBufferRef buffer(StringRef(bitcode.data(), bitcode.size()), "part");
      auto module = getLazyBitcodeModule(buffer, own);
      if (!module) {
        wrong[part] = toString(module.takeError());
        return;
      }
      wrong[part] = reduceToPart(**module, plan, part);
      if (wrong[part].empty())
        wrong[part] = compilePart(**module, *makeTargetMachine(least), least,
                                  form, files[part]);
    });
  }
  for (const std::string &each : wrong)
    if (!each.empty())
      return fail(each);
  return true;
}

/// True if libc must provide the function.
static bool isOfLibc(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases({"memcpy", "memmove", "memset", "memcmp", "bcmp"}, true)
      .Case("_GLOBAL_OFFSET_TABLE_", true)
      .Default(false);
}

bool ModuleCompiler::checkUndefined(const std::vector<Bytes> &objects,
                                    ArrayRef<std::string> ours) {
  StringSet<> defined, open;
  for (const Bytes &object : objects) {
    auto file = object::ObjectFile::createObjectFile(
        MemoryBufferRef(StringRef(object.data(), object.size()), "object"));
    if (!file)
      return fail("the object cannot be read: " + toString(file.takeError()));
    for (const object::SymbolRef &symbol : (*file)->symbols()) {
      auto flags = symbol.getFlags();
      auto name = symbol.getName();
      if (!flags || !name) {
        consumeError(flags.takeError());
        consumeError(name.takeError());
        return fail("the object has a damaged symbol table");
      }
      bool isOpen = *flags & object::SymbolRef::SF_Undefined;
      (isOpen ? open : defined).insert(*name);
    }
  }
  for (StringRef name : open.keys())
    if (!name.empty() && !defined.contains(name) &&
        !is_contained(ours, name.str()) && !isOfLibc(name))
      return fail("the code calls '" + name.str() + "', which libc has not");
  return true;
}

} // namespace tenon
