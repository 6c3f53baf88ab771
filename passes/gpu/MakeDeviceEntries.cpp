// Makes the entry of each kernel. Memrefs of kernels are contiguous, so an
// address and the dynamic extents are enough to describe them.
#include "passes/gpu/Passes.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Device.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_MAKEDEVICEENTRIES
#include "passes/gpu/Passes.h.inc"

namespace {
class EntryMaker {
public:
  EntryMaker(func::FuncOp kernel, int64_t threads, int64_t blockTasks)
      : kernel(kernel), threads(threads), blockTasks(blockTasks),
        b(kernel.getContext()), loc(kernel.getLoc()),
        converter(kernel.getContext()) {}

  void make() {
    b.setInsertionPointAfter(kernel);
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    ArrayRef<Type> operands =
        kernel.getArgumentTypes().drop_front().drop_back(2);
    SmallVector<Type> types = {pointer};
    for (Type type : operands)
      if (auto memref = dyn_cast<MemRefType>(type)) {
        types.push_back(pointer);
        types.append(memref.getNumDynamicDims(), b.getI64Type());
      } else {
        types.push_back(type.isIndex() ? b.getI64Type() : type);
      }
    types.push_back(b.getI64Type());
    auto entry =
        func::FuncOp::create(b, loc, (kernel.getName() + "_entry").str(),
                             b.getFunctionType(types, {}));
    annotation::threads.setCount(entry, threads);
    if (annotation::keepsRegisters.isOn(kernel))
      annotation::keepsRegisters.set(entry, b.getUnitAttr());
    Block *block = entry.addEntryBlock();
    b.setInsertionPointToStart(block);
    arguments = block->getArguments();
    SmallVector<Value> passed = {next()};
    for (Type type : operands)
      passed.push_back(operand(type));
    Value tasks = next();
    Value task = number();
    Value inside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, task, tasks);
    auto branch = scf::IfOp::create(b, loc, inside, false);
    func::ReturnOp::create(b, loc);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    Value one = arith::ConstantIntOp::create(b, loc, 1, 64);
    passed.push_back(index(task));
    passed.push_back(index(arith::AddIOp::create(b, loc, task, one)));
    func::CallOp::create(b, loc, kernel, passed);
  }

private:
  Value next() {
    Value first = arguments.front();
    arguments = arguments.drop_front();
    return first;
  }
  Value index(Value wide) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), wide);
  }
  Value wide(Value narrow) {
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), narrow);
  }

  /// The number of the thread's task, or that of its block.
  Value number() {
    Type i32 = b.getI32Type();
    Value block = wide(NVVM::BlockIdXOp::create(b, loc, i32));
    if (blockTasks == 1)
      return block;
    Value thread = wide(NVVM::ThreadIdXOp::create(b, loc, i32));
    Value size = arith::ConstantIntOp::create(b, loc, threads, 64);
    return arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, block, size), thread);
  }

  Value operand(Type type) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref)
      return type.isIndex() ? index(next()) : next();
    auto descriptor =
        MemRefDescriptor::poison(b, loc, converter.convertType(memref));
    Value address = next();
    descriptor.setAllocatedPtr(b, loc, address);
    descriptor.setAlignedPtr(b, loc, address);
    descriptor.setConstantOffset(b, loc, 0);
    SmallVector<Value> sizes;
    for (int64_t size : memref.getShape())
      sizes.push_back(
          ShapedType::isDynamic(size)
              ? next()
              : LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                         b.getI64IntegerAttr(size)));
    Value stride = LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                            b.getI64IntegerAttr(1));
    for (int64_t d = memref.getRank() - 1; d >= 0; --d) {
      descriptor.setSize(b, loc, d, sizes[d]);
      descriptor.setStride(b, loc, d, stride);
      if (d > 0)
        stride = LLVM::MulOp::create(b, loc, stride, sizes[d]);
    }
    return UnrealizedConversionCastOp::create(b, loc, memref, Value(descriptor))
        .getResult(0);
  }

  func::FuncOp kernel;
  int64_t threads, blockTasks;
  OpBuilder b;
  Location loc;
  LLVMTypeConverter converter;
  ValueRange arguments;
};

struct MakeDeviceEntries : impl::MakeDeviceEntriesBase<MakeDeviceEntries> {
  void runOnOperation() override {
    auto device =
        getOperation().lookupSymbol<ModuleOp>(DeviceLaunchOp::deviceModule);
    llvm::SmallPtrSet<Operation *, 16> done;
    getOperation().walk([&](DeviceLaunchOp launch) {
      auto kernel = device.lookupSymbol<func::FuncOp>(launch.getKernel());
      if (done.insert(kernel).second)
        EntryMaker(kernel, launch.getThreads(), launch.getBlockTasks()).make();
    });
  }
};
} // namespace
} // namespace tenon
