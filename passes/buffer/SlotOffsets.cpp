// Lays the slots out one after another and puts each part in the middle of its
// slot. Then the halves of successive buffers in a slot overlap even if their
// sizes differ. Each half is used by its own threads, so its cache lines need
// not move between cores.
#include "passes/buffer/SlotOffsets.h"

#include "passes/buffer/ByteCounts.h"
#include "passes/buffer/SizeCloner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {
namespace {

class Emitter {
public:
  Emitter(OpBuilder &builder, Location loc, const ScaledPlan &plan)
      : builder(builder), loc(loc), plan(plan), mask(number(-bufferAlignment)) {
  }

  SlotOffsets emit(ArrayRef<Value> ofBuffers) {
    joinFactors(ofBuffers);
    SmallVector<Value> sizes, slots;
    for (auto [part, factor] : llvm::zip(plan.parts, factors)) {
      sizes.push_back(scaled(part.scale, factor));
      slots.resize(std::max(slots.size(), size_t(part.slot + 1)));
      slots[part.slot] = largest(slots[part.slot], sizes.back());
    }
    SlotOffsets result;
    SmallVector<Value> starts = startsOf(slots, result.bytes), begins;
    Value one = number(1);
    for (auto [part, size] : llvm::zip(plan.parts, sizes)) {
      Value rest = make<arith::SubIOp>(slots[part.slot], size);
      Value half = make<arith::AndIOp>(make<arith::ShRUIOp>(rest, one), mask);
      begins.push_back(make<arith::AddIOp>(starts[part.slot], half));
    }
    for (auto [part, offset] : llvm::zip(plan.partOf, plan.offsets))
      result.offsets.push_back(
          offset == 0 ? begins[part]
                      : make<arith::AddIOp>(begins[part],
                                            scaled(offset, factors[part])));
    return result;
  }

private:
  Value number(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  template <typename Op> Value make(Value a, Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  Value largest(Value a, Value b) {
    return a && b ? make<arith::MaxSIOp>(a, b) : a ? a : b;
  }
  Value scaled(int64_t scale, Value factor) {
    return factor ? multiplyBytes(builder, loc, number(scale), factor)
                  : number(scale);
  }

  /// The factor of each part: equal factors may have different upper bounds.
  void joinFactors(ArrayRef<Value> ofBuffers) {
    factors.resize(plan.parts.size());
    for (auto [part, factor] : llvm::zip(plan.partOf, ofBuffers))
      factors[part] = largest(factors[part], factor);
  }

  SmallVector<Value> startsOf(ArrayRef<Value> slots, Value &end) {
    SmallVector<Value> starts;
    end = number(0);
    Value most = number(maxBytes), roundUp = number(bufferAlignment - 1);
    for (Value bytes : slots) {
      starts.push_back(end);
      Value sum = make<arith::AddIOp>(end, make<arith::AddIOp>(bytes, roundUp));
      end = make<arith::MinSIOp>(make<arith::AndIOp>(sum, mask), most);
    }
    return starts;
  }

  OpBuilder &builder;
  Location loc;
  const ScaledPlan &plan;
  Value mask;
  SmallVector<Value> factors; ///< of the parts
};
} // namespace

SlotOffsets emitSlotOffsets(OpBuilder &builder, Location loc,
                            const ScaledPlan &plan, ArrayRef<Value> factors) {
  return Emitter(builder, loc, plan).emit(factors);
}

} // namespace tenon
