// Each function of the runtime returns nonzero if the run must stop; the
// function around the call then returns.
#include "passes/host/DeviceCalls.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/Device.h"
#include "passes/host/Launching.h"
#include "runtime/tenon_abi.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include <cstddef>

using namespace mlir;

namespace tenon {

namespace {
/// Emits calls of the functions of tenon_device_calls before an op.
class Caller {
public:
  Caller(Operation *op, ConversionPatternRewriter &rewriter)
      : op(op), b(rewriter), loc(op->getLoc()), call(callOf(op)) {}

  Type pointer() { return LLVM::LLVMPointerType::get(b.getContext()); }
  Value number(int64_t value, unsigned bits = 64) {
    Type type = b.getIntegerType(bits);
    return LLVM::ConstantOp::create(b, loc, type,
                                    b.getIntegerAttr(type, value));
  }
  Value address(Value base, int64_t bytes) {
    return LLVM::GEPOp::create(b, loc, pointer(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{int32_t(bytes)});
  }
  /// The address at byte `at` of the call, or at byte `member` of the structure
  /// whose address is there.
  Value field(size_t at) {
    return LLVM::LoadOp::create(b, loc, pointer(), address(call, at));
  }

  /// Calls the function at byte `member` of the table with the call and
  /// `arguments`, and returns from the function around it if it fails.
  void invoke(size_t member, ArrayRef<Value> arguments) {
    Value table = field(offsetof(tenon_call, device));
    Value function =
        LLVM::LoadOp::create(b, loc, pointer(), address(table, member));
    SmallVector<Value> operands = {function, call};
    llvm::append_range(operands, arguments);
    SmallVector<Type> types;
    for (Value operand : ArrayRef(operands).drop_front())
      types.push_back(operand.getType());
    auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), types);
    Value failed = LLVM::CallOp::create(b, loc, type, operands).getResult();
    returnWhere(op, b, failed);
  }

  Value scratch(Type type) { return allocateAtEntry(op, b, type); }
  void store(Value value, Value to) {
    LLVM::StoreOp::create(b, loc, value, to);
  }

  /// The address of the first element of a memref.
  Value start(MemRefType type, Value descriptor) {
    MemRefDescriptor memref(descriptor);
    return element(memref.alignedPtr(b, loc), memref.offset(b, loc),
                   bytesOf(type));
  }
  /// The address of element `number` behind `base`.
  Value element(Value base, Value number, int64_t bytes) {
    Value offset = LLVM::MulOp::create(b, loc, number, this->number(bytes));
    return LLVM::GEPOp::create(b, loc, pointer(), b.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{offset});
  }
  static int64_t bytesOf(MemRefType type) {
    return llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  }

  Operation *op;
  ConversionPatternRewriter &b;
  Location loc;
  Value call;
};

struct LowerDeviceLaunch : ConvertOpToLLVMPattern<DeviceLaunchOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(DeviceLaunchOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Caller caller(op, rewriter);
    if (!caller.call)
      return rewriter.notifyMatchFailure(op,
                                         "launched outside a graph function");
    SmallVector<Value> values = {
        caller.field(offsetof(tenon_call, device_faults))};
    for (auto [type, operand] :
         llvm::zip(op.getOperands_().getTypes(), adaptor.getOperands_())) {
      auto memref = dyn_cast<MemRefType>(type);
      if (!memref) {
        values.push_back(operand);
        continue;
      }
      values.push_back(caller.start(memref, operand));
      for (int64_t d = 0; d < memref.getRank(); ++d)
        if (memref.isDynamicDim(d))
          values.push_back(
              MemRefDescriptor(operand).size(rewriter, op.getLoc(), d));
    }
    values.push_back(adaptor.getTasks());
    // The runtime copies the values before it returns.
    Value list = caller.scratch(
        LLVM::LLVMArrayType::get(rewriter.getI64Type(), values.size()));
    for (auto [i, value] : llvm::enumerate(values)) {
      Value place = caller.address(list, int64_t(i) * 8);
      // The runtime compares whole words with those of earlier launches.
      if (isNarrow(value.getType()))
        caller.store(caller.number(0), place);
      caller.store(value, place);
    }
    Location loc = op.getLoc();
    Value each = caller.number(op.getBlockTasks());
    Value more = LLVM::AddOp::create(rewriter, loc, adaptor.getTasks(),
                                     caller.number(op.getBlockTasks() - 1));
    Value blocks = LLVM::UDivOp::create(rewriter, loc, more, each);
    caller.invoke(offsetof(tenon_device_calls, launch),
                  {caller.number(numberOf(op), 32),
                   caller.number(annotation::launchNumber.of(op).getInt(), 32),
                   blocks, list, adaptor.getFlops(), adaptor.getBytes()});
    rewriter.eraseOp(op);
    return success();
  }

  static bool isNarrow(Type type) {
    return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < 64;
  }

  /// The place of the launch's kernel among the device's entries.
  static int64_t numberOf(DeviceLaunchOp op) {
    auto device = op->getParentOfType<ModuleOp>().lookupSymbol<ModuleOp>(
        DeviceLaunchOp::deviceModule);
    std::string entry = (op.getKernel() + "_entry").str();
    int64_t number = 0;
    for (Operation &function : *device.getBody()) {
      if (!annotation::threads.isOn(&function))
        continue;
      if (SymbolTable::getSymbolName(&function) == entry)
        return number;
      ++number;
    }
    llvm_unreachable("tenon-make-device-entries makes an entry for each kernel "
                     "that is launched");
  }
};

struct LowerTransfer : ConvertOpToLLVMPattern<TransferOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(TransferOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Caller caller(op, rewriter);
    if (!caller.call)
      return rewriter.notifyMatchFailure(op, "outside a graph function");
    auto from = cast<MemRefType>(op.getSource().getType()),
         to = cast<MemRefType>(op.getTarget().getType());
    Value bytes = caller.number(Caller::bytesOf(from));
    for (int64_t d = 0; d < from.getRank(); ++d)
      bytes = LLVM::MulOp::create(
          rewriter, op.getLoc(), bytes,
          MemRefDescriptor(adaptor.getSource()).size(rewriter, op.getLoc(), d));
    size_t member = op.getFromHost() ? offsetof(tenon_device_calls, write)
                    : op.getToHost() ? offsetof(tenon_device_calls, read)
                                     : offsetof(tenon_device_calls, copy);
    caller.invoke(member, {caller.start(to, adaptor.getTarget()),
                           caller.start(from, adaptor.getSource()), bytes});
    rewriter.eraseOp(op);
    return success();
  }
};

/// An access of one element goes through a place on the stack.
template <typename OpT> struct LowerAccess : ConvertOpToLLVMPattern<OpT> {
  using ConvertOpToLLVMPattern<OpT>::ConvertOpToLLVMPattern;
  static constexpr bool isLoad = std::is_same_v<OpT, DeviceLoadOp>;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Caller caller(op, rewriter);
    if (!caller.call)
      return rewriter.notifyMatchFailure(op, "outside a graph function");
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getMemory().getType());
    MemRefDescriptor memory(adaptor.getMemory());
    Value number = memory.offset(rewriter, loc);
    for (auto [d, index] : llvm::enumerate(adaptor.getIndices()))
      number = LLVM::AddOp::create(
          rewriter, loc, number,
          LLVM::MulOp::create(rewriter, loc, index,
                              memory.stride(rewriter, loc, d)));
    Value there = caller.element(memory.alignedPtr(rewriter, loc), number,
                                 Caller::bytesOf(type));
    Type element = this->getTypeConverter()->convertType(type.getElementType());
    Value here = caller.scratch(element);
    Value bytes = caller.number(Caller::bytesOf(type));
    if constexpr (isLoad) {
      caller.invoke(offsetof(tenon_device_calls, read), {here, there, bytes});
      rewriter.replaceOpWithNewOp<LLVM::LoadOp>(op, element, here);
    } else {
      caller.store(adaptor.getValue(), here);
      caller.invoke(offsetof(tenon_device_calls, write), {there, here, bytes});
      rewriter.eraseOp(op);
    }
    return success();
  }
};
} // namespace

void populateDeviceCallPatterns(const LLVMTypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<LowerDeviceLaunch, LowerTransfer, LowerAccess<DeviceLoadOp>,
               LowerAccess<DeviceStoreOp>>(converter);
}

void readHostMemory(ModuleOp module) {
  module.walk([](HostMemoryOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    LLVMTypeConverter converter(op.getContext());
    Value call = op->getParentOfType<func::FuncOp>().getArgument(0);
    Type pointer = call.getType();
    auto load = [&](Value base, int64_t at) -> Value {
      Value address = LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), base,
                                          ArrayRef<LLVM::GEPArg>{int32_t(at)});
      return LLVM::LoadOp::create(b, loc, pointer, address);
    };
    int64_t number = 0;
    MemoryRoot root = memoryRootOf(op.getMemory(), &number);
    Value data = root == MemoryRoot::Arena
                     ? load(call, offsetof(tenon_call, host_arena))
                 : root == MemoryRoot::Weights
                     ? load(call, offsetof(tenon_call, host_weights))
                     : load(load(call, offsetof(tenon_call, host_inputs)),
                            number * int64_t(sizeof(void *)));
    Type type = converter.convertType(op.getType());
    MemRefDescriptor memory(
        UnrealizedConversionCastOp::create(b, loc, type, op.getMemory())
            .getResult(0));
    memory.setAllocatedPtr(b, loc, data);
    memory.setAlignedPtr(b, loc, data);
    op.replaceAllUsesWith(
        UnrealizedConversionCastOp::create(b, loc, op.getType(), Value(memory))
            .getResult(0));
    op.erase();
  });
}

void markEntries(ModuleOp device) {
  OpBuilder b(device.getContext());
  for (auto entry : device.getOps<LLVM::LLVMFuncOp>()) {
    auto threads = annotation::threads.of(entry);
    if (!threads)
      continue;
    entry->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), b.getUnitAttr());
    entry->setAttr(NVVM::NVVMDialect::getMaxntidAttrName(),
                   b.getDenseI32ArrayAttr({int32_t(threads.getInt()), 1, 1}));
    // So that ptxas takes the registers that one block needs.
    if (annotation::keepsRegisters.isOn(entry))
      entry->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                     b.getI32IntegerAttr(1));
  }
}

} // namespace tenon
