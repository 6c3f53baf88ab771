// A phase that fails. The linker puts this function in the place of buildPhase
// (--wrap): it appends one more pass, which obeys attributes of the module.
//   test.fault = "PHASE"    that phase ends in an error
//   test.crash = "PHASE"    that phase ends in an abort
//   test.version = "CPU"    ... in the module of that CPU alone
// The error shows the options of the phase, the machine and a digest of the
// module after the phase. Two runs with equal errors did the same.
#include "compiler/pipeline/Phases.h"
#include "dialects/tenon/Machine.h"

#include "mlir/Pass/Pass.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tenon {

void buildSoundPhase(
    OpPassManager &pm, const Phase &phase,
    const PipelineOptions &options) __asm__("__real_" TENON_TEST_BUILD_PHASE);
void buildFaultyPhase(
    OpPassManager &pm, const Phase &phase,
    const PipelineOptions &options) __asm__("__wrap_" TENON_TEST_BUILD_PHASE);

namespace {
class Fault : public PassWrapper<Fault, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Fault)

  Fault(StringRef phase, std::string options)
      : phase(phase), options(std::move(options)) {}

  StringRef getName() const override { return "Fault"; }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto version = module->getAttrOfType<StringAttr>("test.version");
    if (version && module.getSymName() != version.getValue())
      return;
    if (module->getAttr("test.crash") == StringAttr::get(&getContext(), phase))
      abort();
    if (module->getAttr("test.fault") != StringAttr::get(&getContext(), phase))
      return;
    // Aliases are numbered across all versions; without them a version prints
    // as it does when it stands alone.
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().useLocalScope());
    module.emitError("injected fault after phase ")
        << phase << " with " << options << " on "
        << MachineAttr::of(module) << ", module "
        << llvm::xxh3_64bits(text);
    signalPassFailure();
  }

private:
  StringRef phase;
  std::string options;
};
} // namespace

void buildFaultyPhase(OpPassManager &pm, const Phase &phase,
                      const PipelineOptions &options) {
  buildSoundPhase(pm, phase, options);
  std::string text;
  llvm::raw_string_ostream stream(text);
  options.print(stream);
  pm.addPass(std::make_unique<Fault>(phase.name, text));
}

} // namespace tenon
