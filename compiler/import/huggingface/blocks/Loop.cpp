// Builds scf.for around what the callers build.
#include "compiler/import/huggingface/blocks/Loop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon::hf {

static scf::ForOp loopTo(GraphBuilder &g, Size count, ValueRange carried) {
  return scf::ForOp::create(g.ops, g.loc, g.indexValue(g.index(0)),
                            g.indexValue(count), g.indexValue(g.index(1)),
                            carried);
}

void forEach(GraphBuilder &g, Size count, llvm::function_ref<void(Size)> body) {
  scf::ForOp loop = loopTo(g, count, {});
  OpBuilder::InsertionGuard guard(g.ops);
  g.ops.setInsertionPoint(loop.getBody()->getTerminator());
  body(loop.getInductionVar());
}

Value forEach(GraphBuilder &g, Size count, Value first,
              llvm::function_ref<Value(Size, Value)> body) {
  Sizes sizes = g.sizes(first);
  scf::ForOp loop = loopTo(g, count, first);
  {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPointToEnd(loop.getBody());
    g.recordSizes(loop.getRegionIterArg(0), sizes);
    Value next = body(loop.getInductionVar(), loop.getRegionIterArg(0));
    scf::YieldOp::create(g.ops, g.loc, next);
  }
  g.recordSizes(loop.getResult(0), sizes);
  return loop.getResult(0);
}

Size sizeAt(GraphBuilder &g, Value x, Size index) {
  Value element =
      tensor::ExtractOp::create(g.ops, g.loc, x, g.indexValue(index));
  return g.make<arith::IndexCastOp>(g.ops.getIndexType(), element);
}

} // namespace tenon::hf
