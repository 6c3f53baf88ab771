// Each thread counts the nonzero elements of its part. The counts of the
// threads before say where its rows of the output begin.
#include "passes/gpu/BlockNonzero.h"

#include "passes/gpu/BlockPrefix.h"
#include "passes/kernel/CoreCalls.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {

namespace {
class BlockNonzero : BlockPrefix {
public:
  explicit BlockNonzero(Kernel &kernel)
      : BlockPrefix(kernel), operand(opOf<NonzeroOp>(kernel).getOperand()) {
    ElementEmitter sizes(kernel, 1);
    room = sizes.extent(kernel.outputs[0], 0);
    for (int64_t d = 0; d < cast<RankedTensorType>(operand.getType()).getRank();
         ++d)
      extents.push_back(sizes.extent(operand, d));
  }

  void emit() {
    Value count = at().constant(1), none = at().constant(0);
    for (Value extent : extents)
      count = at().mul(count, extent);
    Part part = partOf(count);
    Value found = carry(part.low, part.high, 1, none,
                        [&](Value i, const Values &former) -> Values {
                          return {addIf(isNonzero(i), former[0])};
                        })
                      .front();
    Value first =
        before(found, none, [&](Value a, Value c) { return at().add(a, c); });
    carry(
        part.low, part.high, 1, first,
        [&](Value i, const Values &next) -> Values {
          Value nonzero = isNonzero(i);
          // The output has as many rows as were counted before; never write
          // behind them.
          when(arith::AndIOp::create(b, loc, nonzero, at().less(next[0], room)),
               [&] { store(i, next[0]); });
          return {addIf(nonzero, next[0])};
        });
  }

private:
  Values placeOf(Value i) {
    return extents.empty() ? Values() : Values(at().delinearize(i, extents));
  }

  Value isNonzero(Value i) {
    ElementEmitter emitter(kernel, 1);
    return emitConvert(b, loc, elementAt(emitter, operand, placeOf(i)),
                       elementTypeOf(operand), b.getI1Type());
  }

  Value addIf(Value condition, Value number) {
    return at().add(number, arith::IndexCastUIOp::create(
                                b, loc, b.getIndexType(), condition));
  }

  void store(Value i, Value row) {
    ElementEmitter emitter(kernel, 1);
    for (auto [d, index] : llvm::enumerate(placeOf(i)))
      emitter.store(asInteger(kernel, index), b.getI64Type(), kernel.outputs[0],
                    {row, at().constant(int64_t(d))});
  }

  Value operand, room;
  Values extents;
};
} // namespace

TaskCounter emitBlockNonzero(Kernel &kernel) {
  BlockNonzero(kernel).emit();
  return oneTask();
}

} // namespace tenon
