// Shared memory is a global of the module `@device` in its own memory space.
#include "passes/gpu/BlockKernel.h"

#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

/// The space of shared memory.
constexpr int64_t sharedSpace = 3;
constexpr int64_t f32Bytes = 4;

Value BlockKernel::shared(StringRef name, int64_t elements, Type element) {
  auto type = MemRefType::get({elements}, element ? element : b.getF32Type(),
                              MemRefLayoutAttrInterface(),
                              b.getI64IntegerAttr(sharedSpace));
  std::string symbol = (kernel.func.getName() + "_" + name).str();
  auto module = kernel.func->getParentOfType<ModuleOp>();
  auto start = OpBuilder::atBlockBegin(module.getBody());
  memref::GlobalOp::create(start, loc, symbol, b.getStringAttr("private"), type,
                           /*initial_value=*/b.getUnitAttr(),
                           /*constant=*/false,
                           b.getI64IntegerAttr(quad * f32Bytes));
  return memref::GetGlobalOp::create(b, loc, type, symbol);
}

Value BlockKernel::threadNumber() {
  Value number = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), number);
}

void BlockKernel::barrier() { NVVM::BarrierOp::create(b, loc); }

void BlockKernel::warpBarrier() {
  NVVM::SyncWarpOp::create(b, loc,
                           arith::ConstantIntOp::create(b, loc, -1, 32));
}

Value BlockKernel::fromLane(Value value, int64_t distance) {
  auto number = [&](int64_t bits) -> Value {
    return arith::ConstantIntOp::create(b, loc, bits, 32);
  };
  auto exchange = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, word.getType(), number(-1), word,
                                number(distance), number(warpThreads - 1),
                                NVVM::ShflKind::bfly, UnitAttr());
  };
  Type type = value.getType(), i32 = b.getI32Type();
  if (type.isF32() || type == i32)
    return exchange(value);
  if (type.getIntOrFloatBitWidth() < 32)
    return arith::TruncIOp::create(
        b, loc, type, exchange(arith::ExtUIOp::create(b, loc, i32, value)));
  // A wider number is two words.
  auto words = VectorType::get({2}, i32);
  auto whole = VectorType::get({1}, type);
  Value both = vector::BitCastOp::create(
      b, loc, words, vector::BroadcastOp::create(b, loc, whole, value));
  Values exchanged;
  for (int64_t word : {0, 1})
    exchanged.push_back(
        exchange(vector::ExtractOp::create(b, loc, both, word)));
  both = vector::FromElementsOp::create(b, loc, words, exchanged);
  return vector::ExtractOp::create(
      b, loc, vector::BitCastOp::create(b, loc, whole, both), int64_t(0));
}

BlockKernel::Values BlockKernel::loadSeveral(Value memory, Type element,
                                             Value place, int64_t count) {
  Type stored = cast<MemRefType>(memory.getType()).getElementType();
  if (count == 1) {
    Value one = memref::LoadOp::create(b, loc, memory, place);
    return {emitConvert(b, loc, one, element, b.getF32Type())};
  }
  auto type = VectorType::get({count}, stored);
  llvm::MaybeAlign alignment(count * stored.getIntOrFloatBitWidth() / 8);
  Value several = vector::LoadOp::create(b, loc, type, memory, place,
                                         /*nontemporal=*/false, alignment);
  Values result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(emitConvert(
        b, loc,
        vector::ExtractOp::create(b, loc, several, ArrayRef<int64_t>{i}),
        element, b.getF32Type()));
  return result;
}

BlockKernel::Values BlockKernel::loadShared(Value memory, Value place,
                                            int64_t count) {
  return loadSeveral(memory, b.getF32Type(), place, count);
}

void BlockKernel::storeShared(ValueRange values, Value memory, Value place) {
  int64_t count = values.size();
  if (count == 1) {
    memref::StoreOp::create(b, loc, values.front(), memory, place);
    return;
  }
  Value several = vector::FromElementsOp::create(
      b, loc, VectorType::get({count}, b.getF32Type()), values);
  vector::StoreOp::create(b, loc, several, memory, place,
                          /*nontemporal=*/false,
                          llvm::MaybeAlign(count * f32Bytes));
}

} // namespace tenon
