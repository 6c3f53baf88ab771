// Splits a concatenation of very many tensors into groups. A kernel names each
// of its operands, and LLVM's compile time grows faster than linearly in their
// number. Every element is copied once more per level.
#include "passes/graph/Passes.h"

#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_SPLITCONCATENATES
#include "passes/graph/Passes.h.inc"

namespace {
constexpr size_t maxOperands = 32;

struct SplitConcatenates : impl::SplitConcatenatesBase<SplitConcatenates> {
  void runOnOperation() override {
    SmallVector<ConcatenateOp> wide;
    getOperation()->walk([&](ConcatenateOp op) {
      if (op.getNumOperands() > maxOperands)
        wide.push_back(op);
    });
    for (ConcatenateOp op : wide)
      split(op);
  }

  static void split(ConcatenateOp op) {
    OpBuilder builder(op);
    SmallVector<Value> parts(op.getOperands());
    while (parts.size() > maxOperands) {
      SmallVector<Value> joined;
      for (ArrayRef<Value> rest = parts; !rest.empty();) {
        ArrayRef<Value> group =
            rest.take_front(std::min(maxOperands, rest.size()));
        joined.push_back(group.size() == 1
                             ? group.front()
                             : ConcatenateOp::create(builder, op.getLoc(),
                                                     ValueRange(group),
                                                     op.getDim()));
        rest = rest.drop_front(group.size());
      }
      parts = std::move(joined);
    }
    op->setOperands(parts);
  }
};
} // namespace
} // namespace tenon
