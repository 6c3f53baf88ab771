// Gives host code the memory that it can reach. Kernels of the host and the
// elements that host code reads or writes use the counterparts of buffers in
// host memory; transfers carry what the other side needs. Work of the device
// is in order, so a transfer stands right before a reader or right after a
// writer.
#include "passes/gpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Remarks.h"
#include "passes/gpu/BufferClasses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_INSERTTRANSFERS
#include "passes/gpu/Passes.h.inc"

namespace {
class TransferInserter {
public:
  explicit TransferInserter(func::FuncOp func) : func(func), classes(func) {}

  void run() {
    SmallVector<Operation *> users;
    func.walk([&](Operation *op) {
      if (isa<FusionOp, memref::LoadOp, memref::StoreOp, memref::CopyOp>(op))
        users.push_back(op);
    });
    for (Operation *op : users)
      describe(op);
    for (Operation *op : users) {
      if (auto fusion = dyn_cast<FusionOp>(op))
        rewrite(fusion);
      else if (auto load = dyn_cast<memref::LoadOp>(op))
        rewrite(load);
      else if (auto store = dyn_cast<memref::StoreOp>(op))
        rewrite(store);
      else
        rewrite(cast<memref::CopyOp>(op));
    }
  }

private:
  /// Records which side reads and writes the op's memory.
  void describe(Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      classes.of(load.getMemRef()).isReadByHost = true;
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      BufferClass &from = classes.of(copy.getSource()),
                  &to = classes.of(copy.getTarget());
      if (!from.isOfHost) {
        from.isReadByDevice = true;
        to.isWrittenByDevice |= !to.isOfHost;
      }
    } else if (auto fusion = dyn_cast<FusionOp>(op)) {
      bool onDevice = annotation::onDevice.isOn(fusion);
      for (Value input : fusion.getInputs())
        if (isa<MemRefType>(input.getType()))
          (onDevice ? classes.of(input).isReadByDevice
                    : classes.of(input).isReadByHost) = true;
      for (Value output : fusion.getOutputs())
        if (onDevice && isa<MemRefType>(output.getType()))
          classes.of(output).isWrittenByDevice = true;
    }
  }

  /// The counterpart of `value` in host memory: the same views and selections
  /// of other blobs.
  Value onHost(Value value) {
    Value &known = counterparts[value];
    if (known)
      return known;
    Operation *op = value.getDefiningOp();
    OpBuilder b(func.getContext());
    if (!op) {
      b.setInsertionPointToStart(&func.getBody().front());
      return known = HostMemoryOp::create(b, func.getLoc(), value);
    }
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()))
        mapping.map(operand, onHost(operand));
    b.setInsertionPointAfter(op);
    Value made = b.clone(*op, mapping)->getResult(0);
    // The recursion may have moved the map's entries.
    return counterparts[value] = made;
  }

  static void remarkTransfer(Operation *op, const char *what) {
    if (auto remark = remarkDone(op, RemarkCategory::Transfers, "transfer"))
      remark << what;
  }

  void rewrite(FusionOp fusion) {
    if (annotation::onDevice.isOn(fusion))
      return;
    OpBuilder before(fusion), after(fusion);
    after.setInsertionPointAfter(fusion);
    Location loc = fusion.getLoc();
    size_t inputs = fusion.getInputs().size();
    for (OpOperand &operand : fusion->getOpOperands()) {
      Value buffer = operand.get();
      if (!isa<MemRefType>(buffer.getType()))
        continue;
      const BufferClass facts = classes.of(buffer);
      if (facts.isOfHost)
        continue;
      Value host = onHost(buffer);
      bool isOutput = operand.getOperandNumber() >= inputs;
      // An update in place reads what it keeps as an input.
      if (!isOutput && facts.isStaleOnHost()) {
        TransferOp::create(before, loc, false, buffer, true, host);
        remarkTransfer(fusion, "the host's kernel reads what the device wrote");
      }
      if (isOutput && facts.isOfDevice()) {
        TransferOp::create(after, loc, true, host, false, buffer);
        remarkTransfer(fusion, "the device reads what the host's kernel wrote");
      }
      operand.set(host);
    }
  }

  void rewrite(memref::LoadOp load) {
    const BufferClass facts = classes.of(load.getMemRef());
    if (facts.isOfHost)
      return;
    if (facts.hasCounterpart && !facts.isStaleOnHost()) {
      load.getMemrefMutable().set(onHost(load.getMemRef()));
      return;
    }
    OpBuilder b(load);
    Value element = DeviceLoadOp::create(b, load.getLoc(), load.getType(),
                                         load.getMemRef(), load.getIndices());
    remarkTransfer(load, "the host reads an element from the device");
    load.replaceAllUsesWith(element);
    load.erase();
  }

  void rewrite(memref::StoreOp store) {
    const BufferClass facts = classes.of(store.getMemRef());
    if (facts.isOfHost)
      return;
    OpBuilder b(store);
    if (facts.isOfDevice())
      DeviceStoreOp::create(b, store.getLoc(), store.getValueToStore(),
                            store.getMemRef(), store.getIndices());
    if (facts.hasCounterpart && facts.isReadByHost)
      store.getMemrefMutable().set(onHost(store.getMemRef()));
    else
      store.erase();
  }

  void rewrite(memref::CopyOp copy) {
    Value source = copy.getSource(), target = copy.getTarget();
    const BufferClass from = classes.of(source), to = classes.of(target);
    if (to.isOfHost && from.isOfHost)
      return;
    OpBuilder b(copy);
    if (from.isOfHost && to.hasCounterpart && to.isReadByHost)
      memref::CopyOp::create(b, copy.getLoc(), source, onHost(target));
    if (!from.isOfHost || to.isOfDevice())
      TransferOp::create(b, copy.getLoc(), from.isOfHost, source, to.isOfHost,
                         target);
    copy.erase();
  }

  func::FuncOp func;
  BufferClasses classes;
  DenseMap<Value, Value> counterparts;
};

struct InsertTransfers : impl::InsertTransfersBase<InsertTransfers> {
  void runOnOperation() override {
    if (annotation::numInputs.isOn(getOperation()))
      TransferInserter(getOperation()).run();
  }
};
} // namespace
} // namespace tenon
