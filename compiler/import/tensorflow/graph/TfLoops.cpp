// Imports a loop as scf.while: the condition into the `before` region, the body
// into the `after` region. Both see the variables as arguments with the extents
// of their initial values.
#include "compiler/import/tensorflow/graph/TfLoops.h"

#include "compiler/import/graph/Branches.h"
#include "compiler/import/tensorflow/graph/TfBranches.h"

using namespace mlir;

namespace tenon::tf {

namespace {
class LoopImport {
public:
  LoopImport(NodeContext &c, Results start, LoopPart cond, LoopPart body)
      : c(c), g(c.g), start(std::move(start)), cond(cond), body(body) {}

  FailureOr<Results> run() {
    for (const Result &result : start)
      if (result.kind == Result::Kind::Complex)
        return c.unsupported("complex loop variables");
    if (failed(shapeReserved()))
      return failure();
    SmallVector<Value> initial;
    for (const Result &result : start)
      if (result.value)
        initial.push_back(result.value);
    SmallVector<mlir::Type> types(ValueRange(initial).getTypes());
    auto loop = scf::WhileOp::create(g.ops, g.loc, types, initial);
    OpBuilder::InsertionGuard guard(g.ops);
    if (failed(importCondition(loop, types)) ||
        failed(importBody(loop, types))) {
      // Without terminators the op is not well formed and must be discarded.
      c.importer.discarded.push_back(loop);
      return failure();
    }
    return carried(loop.getResults());
  }

private:
  /// The loop's variables with the values `values`, whose extents equal the
  /// initial ones.
  Results carried(ValueRange values) {
    Results results(start);
    auto next = values.begin();
    for (Result &result : results)
      if (result.value) {
        Sizes sizes = g.sizes(result.value);
        result.value = *next++;
        g.recordSizes(result.value, sizes);
      }
    return results;
  }

  Block *enter(Region &region, ArrayRef<mlir::Type> types) {
    SmallVector<Location> locations(types.size(), g.loc);
    return g.ops.createBlock(&region, {}, types, locations);
  }

  /// Gives reserved lists the shape of the tensors that the body writes. The
  /// body is imported once into a discarded op to find it.
  LogicalResult shapeReserved() {
    if (llvm::none_of(start, [](const Result &result) {
          return result.kind == Result::Kind::Reserved;
        }))
      return success();
    SmallVector<Value> initial;
    for (const Result &result : start)
      if (result.value)
        initial.push_back(result.value);
    SmallVector<mlir::Type> types(ValueRange(initial).getTypes());
    auto shell = scf::WhileOp::create(g.ops, g.loc, types, initial);
    c.importer.discarded.push_back(shell);
    {
      OpBuilder::InsertionGuard guard(g.ops);
      Block *before = enter(shell.getBefore(), types);
      scf::ConditionOp::create(
          g.ops, g.loc,
          arith::ConstantOp::create(g.ops, g.loc, g.ops.getBoolAttr(false)),
          before->getArguments());
      Block *after = enter(shell.getAfter(), types);
      FailureOr<Results> results = body(carried(after->getArguments()));
      if (failed(results))
        return failure();
      scf::YieldOp::create(g.ops, g.loc, after->getArguments());
      if (results->size() != start.size())
        return c.error("expected a body with " + Twine(start.size()) +
                       " results, got " + Twine(results->size()));
      for (auto [i, result] : llvm::enumerate(*results)) {
        if (start[i].kind != Result::Kind::Reserved)
          continue;
        if (result.kind == Result::Kind::Nothing)
          return failure();
        if (result.kind != Result::Kind::List)
          return c.unsupported("a list that its loop never writes");
        Sizes sizes = g.sizes(result.value);
        for (Size size : ArrayRef(sizes).drop_front())
          if (!isOutside(size, shell.getAfter()))
            return c.unsupported(
                "lists of tensors whose shape is found in the loop");
        sizes[0] = start[i].count;
        mlir::Type element = g.elementOf(result.value);
        OpBuilder::InsertionGuard inner(g.ops);
        g.ops.setInsertionPoint(shell);
        start[i] = Result::list(g.splat(element, sizes, 0));
      }
    }
    return success();
  }

  LogicalResult importCondition(scf::WhileOp loop, ArrayRef<mlir::Type> types) {
    Block *before = enter(loop.getBefore(), types);
    FailureOr<Results> results = cond(carried(before->getArguments()));
    if (failed(results))
      return failure();
    if (results->size() != 1)
      return c.error("expected a condition with one result, got " +
                     Twine(results->size()));
    if (results->front().kind != Result::Kind::Tensor)
      return failure();
    FailureOr<Value> more = truth(c, results->front().value);
    if (failed(more))
      return failure();
    scf::ConditionOp::create(g.ops, g.loc, *more, before->getArguments());
    return success();
  }

  LogicalResult importBody(scf::WhileOp loop, ArrayRef<mlir::Type> types) {
    Block *after = enter(loop.getAfter(), types);
    FailureOr<Results> results = body(carried(after->getArguments()));
    if (failed(results))
      return failure();
    if (results->size() != start.size())
      return c.error("expected a body with " + Twine(start.size()) +
                     " results, got " + Twine(results->size()));
    SmallVector<Value> next;
    for (auto [before, result] : llvm::zip(start, *results)) {
      if (result.kind == Result::Kind::Nothing)
        return failure();
      if (before.kind == Result::Kind::Variable) {
        if (result.variable != before.variable)
          return c.unsupported("a loop that exchanges variables");
        continue;
      }
      if (result.kind != before.kind)
        return c.unsupported("a loop variable that changes its kind");
      auto from = g.typeOf(before.value), to = g.typeOf(result.value);
      if (from.getElementType() != to.getElementType())
        return c.error("expected loop variables to keep their type, got " +
                       textOf(before.value) + " and then " +
                       textOf(result.value));
      Sizes a = g.sizes(before.value), b = g.sizes(result.value);
      bool keeps = a.size() == b.size();
      for (size_t d = 0; keeps && d < a.size(); ++d)
        keeps = GraphBuilder::same(a[d], b[d]);
      if (!keeps)
        return c.unsupported("a loop variable that changes its shape");
      next.push_back(castToGeneral(g, result.value, from));
    }
    scf::YieldOp::create(g.ops, g.loc, next);
    return success();
  }

  NodeContext &c;
  GraphBuilder &g;
  Results start;
  LoopPart cond, body;
};
} // namespace

FailureOr<Results> importLoop(NodeContext &c, Results start, LoopPart cond,
                              LoopPart body) {
  return LoopImport(c, std::move(start), cond, body).run();
}

} // namespace tenon::tf
