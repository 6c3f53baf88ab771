// Builds loops around emitElementwise, lowers them to LLVM and compiles them in
// this process.
#include "test/unit/elementwise/JitKernel.h"
#include "compiler/codegen/Optimizer.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "passes/kernel/numerics/ElementwiseEmitter.h"
#include "passes/kernel/numerics/FmaExpansion.h"
#include "passes/kernel/numerics/HalfExpansion.h"
#include "passes/kernel/numerics/Lanes.h"
#include "passes/kernel/numerics/RoundExpansion.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace tenon {
namespace {

std::string specText(const KernelSpec &spec, size_t index) {
  std::string arguments, types;
  for (size_t i = 0; i < spec.operands.size(); ++i) {
    std::string type = "tensor<1x" + spec.operands[i] + ">";
    const char *comma = i ? ", " : "";
    arguments += comma + ("%" + std::string(1, char('a' + i))) + ": " + type;
    types += comma + type;
  }
  return "func.func private @spec" + std::to_string(index) + "(" + arguments +
         ") {\n  %r = " + spec.text + " : (" + types + ") -> tensor<1x" +
         spec.result + ">\n  return\n}\n";
}

Type parseElement(MLIRContext *context, StringRef text) {
  return parseType(text, context);
}

/// The type in memory: a bool is a byte.
Type memoryType(Type kernel) {
  return kernel.isInteger(1) ? IntegerType::get(kernel.getContext(), 8)
                             : kernel;
}

/// Builds func @name(inputs..., output, count), which applies the op to arrays
/// in the given form.
void buildLoop(ModuleOp module, StringRef name, const KernelSpec &spec,
               Operation *op, Form form) {
  MLIRContext *context = module.getContext();
  OpBuilder b(context);
  b.setInsertionPointToEnd(module.getBody());
  Location loc = b.getUnknownLoc();
  Type pointer = LLVM::LLVMPointerType::get(context);
  SmallVector<Type> arguments(spec.operands.size() + 1, pointer);
  arguments.push_back(b.getI64Type());
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(arguments, {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  auto loop = scf::ForOp::create(b, loc, number(0),
                                 entry->getArguments().back(), number(form));
  b.setInsertionPointToStart(loop.getBody());
  auto shaped = [&](Type element) -> Type {
    return form == Scalar ? element : VectorType::get({form}, element);
  };
  auto address = [&](unsigned argument, Type element) {
    return LLVM::GEPOp::create(b, loc, pointer, memoryType(element),
                               entry->getArgument(argument),
                               ArrayRef<LLVM::GEPArg>{loop.getInductionVar()});
  };
  SmallVector<Value> operands;
  for (auto [i, text] : llvm::enumerate(spec.operands)) {
    Type element = kernelElementType(parseElement(context, text));
    Value value = LLVM::LoadOp::create(b, loc, shaped(memoryType(element)),
                                       address(i, element), /*alignment=*/1);
    if (element.isInteger(1))
      value = arith::TruncIOp::create(b, loc, shaped(element), value);
    if (spec.known && i + 1 == spec.operands.size())
      value = emitFloat(b, loc, shaped(element), *spec.known);
    operands.push_back(value);
  }
  Value result;
  Type resultElement = parseElement(context, spec.result);
  if (spec.multiplyAdd)
    result = math::FmaOp::create(b, loc, operands[0], operands[1], operands[2]);
  else if (op)
    result = emitElementwise(b, loc, op, operands);
  else
    result = emitCombine(b, loc, *symbolizeReduceKind(spec.combine),
                         resultElement, operands[0], operands[1]);
  Type element = kernelElementType(resultElement);
  if (element.isInteger(1))
    result = arith::ExtUIOp::create(b, loc, shaped(b.getI8Type()), result);
  LLVM::StoreOp::create(b, loc, result, address(spec.operands.size(), element),
                        /*alignment=*/1);
  b.setInsertionPointToEnd(entry);
  func::ReturnOp::create(b, loc);
}

[[noreturn]] void fail(const char *what) {
  llvm::report_fatal_error(what, /*gen_crash_diag=*/false);
}

OwningOpRef<ModuleOp> buildModule(MLIRContext &context,
                                  const std::vector<KernelSpec> &specs,
                                  const Target &target) {
  std::string text;
  for (size_t i = 0; i < specs.size(); ++i)
    if (!specs[i].text.empty())
      text += specText(specs[i], i);
  OwningOpRef<ModuleOp> source = parseSourceString<ModuleOp>(text, &context);
  if (!source)
    fail("the ops under test do not parse");
  OwningOpRef<ModuleOp> module(ModuleOp::create(UnknownLoc::get(&context)));
  for (auto [i, spec] : llvm::enumerate(specs)) {
    Operation *op = nullptr;
    if (!spec.text.empty())
      op = &source->lookupSymbol<func::FuncOp>("spec" + std::to_string(i))
                .front()
                .front();
    for (Form form : allForms)
      buildLoop(*module, "k" + std::to_string(i) + "_" + std::to_string(form),
                spec, op, form);
  }
  if (failed(verify(*module)))
    fail("the emitted kernels do not verify");
  RewritePatternSet patterns(&context);
  if (target.halfByIntegers)
    populateExpandHalfPatterns(patterns);
  if (target.fmaByDoubles)
    populateExpandFmaPatterns(patterns);
  if (target.roundByAdding)
    populateExpandRoundPatterns(patterns);
  if (failed(applyPatternsGreedily(*module, std::move(patterns))))
    fail("what the target lacks is not expanded");
  PassManager passes(&context);
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertVectorToLLVMPass());
  passes.addPass(createConvertMathToLLVMPass());
  passes.addPass(createArithToLLVMConversionPass());
  passes.addPass(createConvertIndexToLLVMPass());
  passes.addPass(createConvertControlFlowToLLVMPass());
  passes.addPass(createConvertFuncToLLVMPass());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(*module)))
    fail("the emitted kernels do not lower to LLVM");
  return module;
}

} // namespace

std::vector<Target> runnableTargets() {
  std::vector<Target> targets{{"x86-64-v3", false}};
  if (llvm::sys::getHostCPUFeatures().lookup("avx512vl"))
    targets.push_back({"x86-64-v4", true});
  return targets;
}

JitKernels::JitKernels(const std::vector<KernelSpec> &specs, Target target) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerAllToLLVMIRTranslations(registry);
  registry.insert<TenonDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = buildModule(context, specs, target);

  llvm::ExitOnError check("jit: ");
  llvm::orc::JITTargetMachineBuilder machine{
      llvm::Triple(llvm::sys::getProcessTriple())};
  machine.setCPU(target.cpu);
  auto forPasses = check(machine.createTargetMachine());
  auto llvmContext = std::make_unique<llvm::LLVMContext>();
  auto code = translateModuleToLLVMIR(*module, *llvmContext);
  if (!code)
    fail("the emitted kernels do not translate");
  code->setDataLayout(forPasses->createDataLayout());
  code->setTargetTriple(forPasses->getTargetTriple());
  for (llvm::Function &function : *code)
    function.addFnAttr("target-cpu", target.cpu);
  if (target.optimize)
    optimize(*code, *forPasses, /*optLevel=*/2);
  jit = check(llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(machine))
                  .setLinkProcessSymbolsByDefault(false)
                  .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                  .create());
  // Only memory copies may be called: no libm, and no compiler support
  // functions for types that the machine lacks.
  llvm::orc::SymbolNameSet copies;
  for (const char *name : {"memcpy", "memmove", "memset"})
    copies.insert(jit->mangleAndIntern(name));
  jit->getMainJITDylib().addGenerator(
      check(llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
          forPasses->createDataLayout().getGlobalPrefix(),
          [copies](const llvm::orc::SymbolStringPtr &name) {
            return copies.contains(name);
          })));
  check(jit->addIRModule(
      llvm::orc::ThreadSafeModule(std::move(code), std::move(llvmContext))));
}

void JitKernels::run(size_t index, Form form, std::vector<const void *> inputs,
                     void *output, int64_t count) const {
  llvm::ExitOnError check("jit: ");
  auto address = check(
      jit->lookup("k" + std::to_string(index) + "_" + std::to_string(form)));
  using P = const void *;
  switch (inputs.size()) {
  case 1:
    return address.toPtr<void (*)(P, void *, int64_t)>()(inputs[0], output,
                                                         count);
  case 2:
    return address.toPtr<void (*)(P, P, void *, int64_t)>()(
        inputs[0], inputs[1], output, count);
  case 3:
    return address.toPtr<void (*)(P, P, P, void *, int64_t)>()(
        inputs[0], inputs[1], inputs[2], output, count);
  default:
    fail("an op has one to three operands");
  }
}

} // namespace tenon
