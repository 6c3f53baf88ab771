// A change of scores is an scf.if whose else branch yields them unchanged.
#include "compiler/import/huggingface/generation/Scores.h"

#include "compiler/import/huggingface/blocks/SizeIn.h"
#include "compiler/import/huggingface/generation/OptionTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace tenon::hf {

Scores::Scores(GraphBuilder &g, Options &options, const Sequences &at,
               Value scores)
    : g(g), options(options), value(scores), ids(at.ids),
      length(sizeIn(g, at.length)), prompt(sizeIn(g, at.prompt)),
      maxLength(sizeIn(g, at.maxLength)), beams(sizeIn(g, at.beams)),
      source(at.source) {}

Size Scores::integer(Option option) { return sizeIn(g, options.get(option)); }

Size Scores::count(Option list) { return sizeIn(g, options.count(list)); }

Value Scores::number(Option option) {
  return g.extractScalar(options.get(option));
}

Value Scores::flag(Option option) {
  return g.extractScalar(options.get(option));
}

Value changedIf(GraphBuilder &g, Option option, Size condition, Value scores,
                llvm::function_ref<Value()> change) {
  llvm::SaveAndRestore<Location> named(
      g.loc, NameLoc::get(g.ops.getStringAttr(rowOf(option).name)));
  if (std::optional<int64_t> known = GraphBuilder::staticSize(condition))
    return *known ? change() : scores;
  auto branch =
      scf::IfOp::create(g.ops, g.loc, scores.getType(), cast<Value>(condition),
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(g.ops, g.loc, scores);
    g.ops.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(g.ops, g.loc, change());
  }
  Value result = branch.getResult(0);
  g.recordSizes(result, g.sizes(scores));
  return result;
}

Value Scores::without(Value mask) const {
  return g.select(mask, g.splatLike(value, removedScore), value);
}

Value Scores::firstIds(Size columns) const {
  return g.sliceDim(ids, 1, g.index(0), columns);
}

Value Scores::at(Value tokens) const {
  Sizes sizes = g.sizes(tokens);
  Value result = g.make<GatherOp>(
      RankedTensorType::get(GraphBuilder::shapeOf(tokens), g.f32()), value,
      tokens, ArrayRef<int64_t>{}, ArrayRef<int64_t>{1}, ArrayRef<int64_t>{0},
      ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1}, uint64_t(2),
      ArrayRef<int64_t>{1, 1});
  g.recordSizes(result, sizes);
  return result;
}

Value Scores::with(ScatterKind kind, Value tokens, Value updates) const {
  Value result = g.make<ScatterOp>(
      value.getType(), kind, value, tokens, updates, ArrayRef<int64_t>{},
      ArrayRef<int64_t>{1}, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{0},
      ArrayRef<int64_t>{1}, uint64_t(2));
  g.recordSizes(result, g.sizes(value));
  return result;
}

Size both(GraphBuilder &g, Size a, Size b) {
  for (auto [known, other] : {std::pair(a, b), std::pair(b, a)})
    if (std::optional<int64_t> condition = GraphBuilder::staticSize(known))
      return *condition ? other : known;
  return g.make<arith::AndIOp>(cast<Value>(a), cast<Value>(b));
}

static Size compare(GraphBuilder &g, arith::CmpFPredicate predicate, Value a,
                    double b) {
  return g.make<arith::CmpFOp>(
      predicate, a, g.make<arith::ConstantOp>(FloatAttr::get(a.getType(), b)));
}

Size isAbove(GraphBuilder &g, Value number, double bound) {
  return compare(g, arith::CmpFPredicate::OGT, number, bound);
}

Size isBelow(GraphBuilder &g, Value number, double bound) {
  return compare(g, arith::CmpFPredicate::OLT, number, bound);
}

Size isNot(GraphBuilder &g, Value number, double other) {
  return compare(g, arith::CmpFPredicate::UNE, number, other);
}

} // namespace tenon::hf
