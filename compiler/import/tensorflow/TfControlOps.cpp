// Calls, branches and loops of functions. Calls are inlined; branches and loops
// become scf, what they carry keeps its shape.
#include "compiler/import/Branches.h"
#include "compiler/import/tensorflow/TfNodeContext.h"

using namespace mlir;

namespace tenon::tf {
namespace {

LogicalResult setAll(NodeContext &c, const FailureOr<Results> &results) {
  if (failed(results))
    return failure();
  for (auto [i, result] : llvm::enumerate(*results))
    c.set(i, result);
  return success();
}

LogicalResult callOp(NodeContext &c) {
  std::string name = c.functionAttr("f");
  if (name.empty())
    return failure();
  return setAll(c, c.importer.call(c.node, name, c.all()));
}

LogicalResult noOp(NodeContext &) { return success(); }

/// A condition as an i1: a bool, or a number that is not zero.
FailureOr<Value> truth(NodeContext &c, Value value) {
  GraphBuilder &g = c.g;
  auto type = g.typeOf(value);
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return c.unsupported("a condition that is not one number");
  if (!type.getElementType().isInteger(1))
    value = g.compare(CompareDirection::NE, value, 0.0);
  return g.extractScalar(value);
}

/// The values of results, all of which must be tensors or lists.
FailureOr<SmallVector<Value>> valuesOf(NodeContext &c, ArrayRef<Result> all) {
  SmallVector<Value> values;
  for (const Result &result : all) {
    if (result.kind == Result::Kind::Nothing)
      return failure();
    if (!result.value)
      return c.unsupported("handles as results of control flow");
    values.push_back(result.value);
  }
  return values;
}

LogicalResult ifOp(NodeContext &c) {
  GraphBuilder &g = c.g;
  std::string names[] = {c.functionAttr("then_branch"),
                         c.functionAttr("else_branch")};
  if (names[0].empty() || names[1].empty())
    return failure();
  ArrayRef<Result> operands = c.all().drop_front();
  if (c.operand(0).kind != Result::Kind::Tensor)
    return c.unsupported("a condition that is no tensor");
  if (auto known = c.shapes.constants(c.input(0)); known && known->size() == 1)
    return setAll(
        c, c.importer.call(c.node, names[known->front() ? 0 : 1], operands));
  FailureOr<Value> condition = truth(c, c.input(0));
  if (failed(condition))
    return failure();
  auto shell = scf::IfOp::create(g.ops, g.loc, TypeRange(), *condition, true);
  c.importer.discarded.push_back(shell);
  FailureOr<SmallVector<Value>> values[2];
  Results kinds;
  for (int i : {0, 1}) {
    OpBuilder::InsertionGuard guard(g.ops);
    Block &block = shell->getRegion(i).front();
    block.clear();
    g.ops.setInsertionPointToEnd(&block);
    FailureOr<Results> results = c.importer.call(c.node, names[i], operands);
    if (failed(results))
      return failure();
    values[i] = valuesOf(c, *results);
    if (failed(values[i]))
      return failure();
    kinds = *results;
  }
  if (values[0]->size() != values[1]->size())
    return c.error("expected branches with equally many results, got " +
                   Twine(values[0]->size()) + " and " +
                   Twine(values[1]->size()));
  SmallVector<Value> joined;
  if (std::optional<BranchMismatch> mismatch =
          joinBranches(g, shell, *values[0], *values[1], joined)) {
    if (mismatch->isError)
      return c.error("expected branches with equal types, got " +
                     spell((*values[0])[mismatch->result]) + " and " +
                     spell((*values[1])[mismatch->result]));
    return c.unsupported("branches with results of different rank");
  }
  for (auto [i, value] : llvm::enumerate(joined)) {
    kinds[i].value = value;
    c.set(i, kinds[i]);
  }
  return success();
}

//===-- Loops -----------------------------------------------------------===//

class WhileImport {
public:
  explicit WhileImport(NodeContext &c)
      : c(c), g(c.g), start(c.all()), cond(c.functionAttr("cond")),
        body(c.functionAttr("body")) {}

  LogicalResult run() {
    if (cond.empty() || body.empty() || failed(shapeReserved()))
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
      // Without terminators the op can only be thrown away.
      c.importer.discarded.push_back(loop);
      return failure();
    }
    Results results = carried(loop.getResults());
    for (auto [i, result] : llvm::enumerate(results))
      c.set(i, result);
    return success();
  }

private:
  /// The loop's variables with their values replaced by `values`, whose extents
  /// are those at the start.
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

  /// Lists that nothing has been written to yet get the shape of what the body
  /// writes: it is imported aside for that.
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
      FailureOr<Results> results =
          c.importer.call(c.node, body, carried(after->getArguments()));
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
    FailureOr<Results> results =
        c.importer.call(c.node, cond, carried(before->getArguments()));
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
    FailureOr<Results> results =
        c.importer.call(c.node, body, carried(after->getArguments()));
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
                       spell(before.value) + " and then " +
                       spell(result.value));
      Sizes a = g.sizes(before.value), b = g.sizes(result.value);
      bool keeps = a.size() == b.size();
      for (size_t d = 0; keeps && d < a.size(); ++d)
        keeps = GraphBuilder::same(a[d], b[d]);
      if (!keeps)
        return c.unsupported("a loop variable that changes its shape");
      next.push_back(forget(g, result.value, from));
    }
    scf::YieldOp::create(g.ops, g.loc, next);
    return success();
  }

  NodeContext &c;
  GraphBuilder &g;
  Results start;
  std::string cond, body;
};

LogicalResult whileOp(NodeContext &c) { return WhileImport(c).run(); }

} // namespace

void registerControlOps(OpRegistry &r) {
  r.add("PartitionedCall", 0, kMany, callOp);
  r.add("StatefulPartitionedCall", 0, kMany, callOp);
  r.add("NoOp", 0, noOp);
  r.add("If", 1, kMany, ifOp);
  r.add("StatelessIf", 1, kMany, ifOp);
  r.add("While", 1, kMany, whileOp);
  r.add("StatelessWhile", 1, kMany, whileOp);
}

} // namespace tenon::tf
