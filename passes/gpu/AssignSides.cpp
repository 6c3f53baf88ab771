// Decides which fusions the host computes: those that sizes, conditions and
// trip counts depend on, if they are small and read nothing that the device
// has computed. The device computes all others.
#include "passes/gpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "passes/gpu/BufferClasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_ASSIGNSIDES
#include "passes/gpu/Passes.h.inc"

namespace {
/// The host computes tensors of at most so many elements.
constexpr int64_t mostHostElements = 1024;

class SideChooser {
public:
  explicit SideChooser(func::FuncOp func) : func(func), classes(func) {}

  void run() {
    func.walk([&](FusionOp fusion) {
      if (usesHostMemory(fusion))
        return;
      annotation::onDevice.set(fusion, UnitAttr::get(fusion.getContext()));
      if (fitsHost(fusion))
        candidates.push_back(fusion);
    });
    findNeeded();
    while (dropOne())
      ;
    for (FusionOp fusion : candidates)
      annotation::onDevice.removeFrom(fusion);
  }

private:
  static bool isSmall(Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return !type ||
           (type.hasStaticShape() && type.getNumElements() <= mostHostElements);
  }

  /// True if a device cannot run the fusion: the offsets of buffers are
  /// computed on the stack.
  bool usesHostMemory(FusionOp fusion) {
    return llvm::any_of(fusion.getOperands(), [&](Value operand) {
      return isa<MemRefType>(operand.getType()) && classes.of(operand).isOfHost;
    });
  }

  /// Inputs may have any size. The plan computes extents from them on the host,
  /// and its extents must be those of the run, whatever a device computes.
  bool fitsHost(FusionOp fusion) {
    return llvm::all_of(fusion.getOperands(), [&](Value operand) {
      return !isa<MemRefType>(operand.getType()) ||
             (classes.of(operand).hasCounterpart &&
              (isSmall(operand) || classes.of(operand).isInput));
    });
  }

  /// Keeps the candidates whose results host code needs, directly or through
  /// another candidate.
  void findNeeded() {
    func.walk([&](memref::LoadOp load) {
      classes.of(load.getMemRef()).isReadByHost = true;
    });
    SmallVector<FusionOp> needed;
    for (bool changed = true; changed;) {
      changed = false;
      for (FusionOp &fusion : candidates) {
        if (!fusion || llvm::none_of(fusion.getOutputs(), [&](Value output) {
              return classes.of(output).isReadByHost;
            }))
          continue;
        for (Value input : fusion.getInputs())
          if (isa<MemRefType>(input.getType()))
            classes.of(input).isReadByHost = true;
        needed.push_back(fusion);
        fusion = {};
        changed = true;
      }
    }
    candidates = std::move(needed);
  }

  /// Drops the candidates that read what the device writes. True if there was
  /// one: others may read its results.
  bool dropOne() {
    llvm::SmallPtrSet<Operation *, 16> kept;
    for (FusionOp fusion : candidates)
      kept.insert(fusion);
    func.walk([&](FusionOp fusion) {
      if (annotation::onDevice.isOn(fusion) && !kept.contains(fusion))
        for (Value output : fusion.getOutputs())
          if (isa<MemRefType>(output.getType()))
            classes.of(output).isWrittenByDevice = true;
    });
    func.walk([&](memref::CopyOp copy) {
      classes.of(copy.getTarget()).isWrittenByDevice |=
          !classes.of(copy.getSource()).isOfHost;
    });
    size_t before = candidates.size();
    llvm::erase_if(candidates, [&](FusionOp fusion) {
      return llvm::any_of(fusion.getInputs(), [&](Value input) {
        return isa<MemRefType>(input.getType()) &&
               classes.of(input).isStaleOnHost();
      });
    });
    return candidates.size() < before;
  }

  func::FuncOp func;
  BufferClasses classes;
  SmallVector<FusionOp> candidates;
};

struct AssignSides : impl::AssignSidesBase<AssignSides> {
  void runOnOperation() override {
    if (annotation::numInputs.isOn(getOperation()))
      SideChooser(getOperation()).run();
  }
};
} // namespace
} // namespace tenon
