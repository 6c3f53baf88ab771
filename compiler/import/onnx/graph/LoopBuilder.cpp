// A carried tensor whose extents change is stored at the beginning of a tensor
// that has capacity for all iterations. An iteration reads this beginning and
// writes the rows that it adds behind it.
//
// The body sees the extent as `tenon.bound`. The extent is computed from the
// iteration number if it grows by a fixed number of rows; otherwise it is
// carried as a number. Per-iteration results are written into a tensor that is
// allocated before the loop.
#include "compiler/import/onnx/graph/LoopBuilder.h"

#include "compiler/import/graph/Branches.h"
#include "dialects/tenon/SizeLimit.h"

using namespace mlir;
using Predicate = arith::CmpIPredicate;

namespace tenon::onnx {

/// If carried extents depend on one another, each attempt opens those that were
/// found to change. After this many attempts all extents are opened.
static constexpr int maxAttempts = 3;

/// The limit on rows: no memory holds as many, and sums of such numbers do not
/// overflow.
static constexpr int64_t maxRows = int64_t(1) << 48;

/// True if the trip count means "until the condition is false".
static bool isEndless(Size trips) {
  return GraphBuilder::staticSize(trips).value_or(0) >= maxRows;
}

Value asDeclared(NodeContext &ctx, Value value, const Type &declared,
                 const Twine &whose) {
  GraphBuilder &g = ctx.g;
  Sizes sizes = g.sizes(value);
  if (!declared.shape || declared.shape->size() != sizes.size())
    return value;
  for (auto [d, dim] : llvm::enumerate(*declared.shape)) {
    if (GraphBuilder::staticSize(sizes[d]) || dim.kind != Dim::Kind::Static)
      continue;
    Size wanted = g.index(dim.size);
    ctx.check(sizes[d], wanted, wanted,
              "extent " + Twine(d) + " of " + whose +
                  " must be what the body declares");
    sizes[d] = wanted;
  }
  return g.reshape(value, sizes);
}

FailureOr<SmallVector<Value>> LoopBuilder::build() {
  for (auto [i, value] : llvm::enumerate(plan.initial))
    value = asDeclared(ctx, value, plan.body->inputs[plan.firstInput + i].type,
                       "carried value " + Twine(i));
  OpBuilder::InsertionGuard guard(g.ops);
  // Other calls of a function may give its loop body other ranks.
  if (plan.canGrow)
    for (auto [value, dim] : ctx.importer.openExtents[plan.body])
      if (dim < GraphBuilder::rankOf(plan.initial[value]))
        open.emplace_back(value, dim);
  for (int attempt = 1;; ++attempt) {
    if (failed(importBody()))
      return failure();
    FailureOr<bool> hasChanged = openChanged();
    if (failed(hasChanged))
      return failure();
    if (!*hasChanged)
      break;
    // The next attempt is inserted behind this one, which is discarded.
    g.ops.setInsertionPointAfter(shell);
    if (attempt == maxAttempts)
      openAll();
  }
  if (plan.condition) {
    if (failed(ctx.expectOneBool(results.front(), "the body's condition")))
      return failure();
    goesOn = g.extractScalar(results.front());
  }
  if (failed(findSteps()) || failed(findTrips()))
    return failure();
  computeCapacities();
  for (size_t i = 0; i < plan.initial.size(); ++i)
    store(i);
  if (failed(addScans()))
    return failure();
  return plan.condition ? finishWhile() : finishFor();
}

/// Imports the body into `shell`, whose block later becomes the loop's.
LogicalResult LoopBuilder::importBody() {
  Value zero = g.indexValue(g.index(0)), one = g.indexValue(g.index(1));
  shell = scf::ForOp::create(g.ops, loc(), zero, g.indexValue(plan.trips), one,
                             plan.initial);
  ctx.importer.discarded.push_back(shell);
  block()->clear();
  g.ops.setInsertionPointToEnd(block());
  starts.clear();
  for (Value value : plan.initial)
    starts.push_back(g.sizes(value));
  for (OpenExtent &extent : open) {
    extent.first = starts[extent.value][extent.dim];
    extent.current = BoundOp::create(g.ops, loc(), zero, zero);
    starts[extent.value][extent.dim] = extent.current.getResult();
  }
  for (auto [i, start] : llvm::enumerate(starts)) {
    auto type = GraphBuilder::typeOf(argument(i));
    SmallVector<int64_t> shape;
    for (Size size : start)
      shape.push_back(
          GraphBuilder::staticSize(size).value_or(ShapedType::kDynamic));
    argument(i).setType(RankedTensorType::get(shape, type.getElementType()));
    g.recordSizes(argument(i), start);
  }
  FailureOr<SmallVector<Value>> imported = ctx.importer.importBody(
      *plan.body, inputs(shell.getInductionVar(), shell.getRegionIterArgs()));
  if (failed(imported))
    return failure();
  results = *imported;
  for (auto [i, result] : llvm::enumerate(results))
    result = asDeclared(ctx, result, plan.body->outputs[i].type,
                        "body output " + Twine(i));
  return success();
}

FailureOr<bool> LoopBuilder::openChanged() {
  next.assign(results.begin() + plan.firstResult,
              results.begin() + plan.firstResult + plan.initial.size());
  SmallVector<OpenExtent> changed;
  for (auto [i, value] : llvm::enumerate(next)) {
    Value first = plan.initial[i];
    if (GraphBuilder::elementOf(value) != GraphBuilder::elementOf(first))
      return ctx.error("expected loop-carried values to keep their type, got " +
                       textOf(first) + " and then " + textOf(value));
    Sizes sizes = g.sizes(value);
    if (sizes.size() != starts[i].size())
      return ctx.unsupported("a loop-carried value that changes its rank");
    for (auto [d, size] : llvm::enumerate(sizes)) {
      if (GraphBuilder::same(size, starts[i][d]) || isOpen(i, d))
        continue;
      if (plan.canGrow) {
        changed.emplace_back(i, d);
        continue;
      }
      if (GraphBuilder::staticSize(size) &&
          GraphBuilder::staticSize(starts[i][d]))
        return ctx.error("expected state " + Twine(i) +
                         " to keep its shape, got " + textOf(first) +
                         " and then " + textOf(value));
      ctx.check(size, starts[i][d], starts[i][d],
                "extent " + Twine(d) + " of state " + Twine(i) +
                    " must be what it was");
    }
    if (!plan.canGrow)
      value = g.reshape(value, starts[i]);
  }
  llvm::append_range(open, changed);
  sortOpen();
  return !changed.empty();
}

bool LoopBuilder::isOpen(size_t value, int64_t dim) const {
  return llvm::any_of(open, [&](const OpenExtent &extent) {
    return extent.value == value && extent.dim == dim;
  });
}

void LoopBuilder::openAll() {
  for (auto [i, start] : llvm::enumerate(starts))
    for (size_t d = 0; d < start.size(); ++d)
      if (!isOpen(i, d))
        open.emplace_back(i, d);
  sortOpen();
}

void LoopBuilder::sortOpen() {
  llvm::sort(open, [](const OpenExtent &a, const OpenExtent &b) {
    return std::pair(a.value, a.dim) < std::pair(b.value, b.dim);
  });
  // A nested body is imported again for each import of the body around it.
  // Remember its open extents, so that they need not be found again.
  auto &known = ctx.importer.openExtents[plan.body];
  known.clear();
  for (const OpenExtent &extent : open)
    known.push_back({extent.value, extent.dim});
}

/// Finds the step of each open extent.
LogicalResult LoopBuilder::findSteps() {
  for (OpenExtent &extent : open) {
    extent.next = g.sizes(next[extent.value])[extent.dim];
    std::optional<ExtentStep> step =
        stepOf(g, extent.next, extent.current.getResult(), shell.getRegion());
    if (!step)
      return ctx.unsupported(
          "extent " + Twine(extent.dim) + " of loop-carried value " +
          Twine(extent.value) +
          " has no bound that is known before the loop: it must grow by a "
          "fixed number of rows an iteration, or stay within a fixed one");
    extent.step = *step;
  }
  return success();
}

/// Records the iteration number and the carried integers that change by
/// constants.
void LoopBuilder::recordCounters(Progressions &counters) {
  counters.record(shell.getInductionVar(), {g.index(0), 1});
  for (OpenExtent &extent : open)
    if (extent.isCounted())
      if (std::optional<int64_t> rows =
              GraphBuilder::staticSize(*extent.step.rows))
        counters.record(extent.current.getResult(), {extent.first, *rows});
  for (auto [i, value] : llvm::enumerate(next)) {
    auto type = GraphBuilder::typeOf(argument(i));
    if (!type.getElementType().isSignlessInteger() || !type.hasStaticShape() ||
        type.getNumElements() != 1)
      continue;
    std::optional<Sizes> now = ctx.shapes.elements(argument(i)),
                         then = ctx.shapes.elements(value),
                         first = ctx.shapes.elements(plan.initial[i]);
    if (!now || !then || !first)
      continue;
    auto current = dyn_cast<Value>(now->front());
    std::optional<ExtentStep> step =
        current ? stepOf(g, then->front(), current, shell.getRegion())
                : std::nullopt;
    if (!step || !step->isExact || !step->rows)
      continue;
    if (std::optional<int64_t> slope = GraphBuilder::staticSize(*step->rows))
      counters.record(current, {first->front(), *slope});
  }
}

/// Bounds the trip count if each iteration needs memory of its own.
LogicalResult LoopBuilder::findTrips() {
  bool grows = llvm::any_of(open, [&](const OpenExtent &extent) {
    return extent.step.rows &&
           !GraphBuilder::same(*extent.step.rows, g.index(0));
  });
  if (!grows && plan.scanAxes.empty())
    return success();
  auto trips = GraphBuilder::staticSize(plan.trips);
  if (plan.condition && (!trips || isEndless(plan.trips))) {
    Progressions counters(g, shell.getRegion());
    recordCounters(counters);
    if (auto traced = ctx.shapes.elements(results.front()))
      if (std::optional<Size> most = counters.maxTrips(traced->front()))
        plan.trips = g.min(plan.trips, *most);
  }
  // Without a condition the trip count is exact, however large.
  if (plan.condition && isEndless(plan.trips))
    return ctx.unsupported(
        StringRef(grows ? "a loop-carried value that grows"
                        : "per-iteration results") +
        " without a bound on the number of iterations: give the loop a trip "
        "count, or end it by comparing a counter with a number known before "
        "it");
  for (const OpenExtent &extent : open)
    if (extent.step.rows)
      plan.trips =
          g.min(plan.trips, g.floorDiv(g.index(maxRows),
                                       g.max(*extent.step.rows, g.index(1))));
  return success();
}

/// Computes the capacity that all iterations need, and the extents that the
/// body sees.
void LoopBuilder::computeCapacities() {
  initial = plan.initial;
  for (Value value : initial)
    sizes.push_back(g.sizes(value));
  for (OpenExtent &extent : open) {
    Size capacity = extent.first, rows = extent.step.rows.value_or(g.index(0));
    for (Size limit : extent.step.limits)
      capacity = g.max(capacity, limit);
    capacity = g.add(capacity, g.mul(plan.trips, g.max(rows, g.index(0))));
    extent.capacity = sizes[extent.value][extent.dim] = capacity;
    if (extent.isCounted())
      define(extent,
             g.add(extent.first, g.mul(Size(shell.getInductionVar()), rows)));
  }
  for (size_t i = 0; i < initial.size(); ++i)
    if (llvm::any_of(open, [&](const OpenExtent &e) { return e.value == i; }))
      preallocate(i);
  g.ops.setInsertionPointToEnd(block());
}

void LoopBuilder::define(OpenExtent &extent, Size size) {
  extent.current->setOperands(
      {g.indexValue(size), g.indexValue(extent.capacity)});
}

/// Replaces the carried value by a tensor with capacity for all iterations. The
/// body reads the slice at its beginning.
void LoopBuilder::preallocate(size_t i) {
  Sizes zeros(sizes[i].size(), g.index(0)), ones(sizes[i].size(), g.index(1));
  {
    OpBuilder::InsertionGuard guard(g.ops);
    g.ops.setInsertionPoint(shell);
    mlir::Type element = GraphBuilder::elementOf(initial[i]);
    initial[i] =
        g.dynamicUpdateSlice(g.splat(element, sizes[i], 0), initial[i], zeros);
  }
  Value whole = argument(i);
  whole.setType(initial[i].getType());
  g.recordSizes(whole, sizes[i]);
  g.ops.setInsertionPointAfter(open.back().current);
  Value beginning = g.slice(whole, zeros, starts[i], ones);
  whole.replaceAllUsesExcept(beginning, beginning.getDefiningOp());
  for (Value &value : next)
    value = value == whole ? beginning : value;
  for (Value &value : results)
    value = value == whole ? beginning : value;
  beginnings[i] = beginning;
}

/// Writes the carried value of an iteration to the place where the next
/// iteration reads it. If the value is the former one with rows appended, only
/// these rows are written.
void LoopBuilder::store(size_t i) {
  Value whole = argument(i), value = next[i], former = beginnings.lookup(i);
  if (!former) {
    next[i] = castToGeneral(g, value, GraphBuilder::typeOf(whole));
    return;
  }
  if (value == former) {
    next[i] = whole;
    return;
  }
  Sizes at(sizes[i].size(), g.index(0));
  auto joined = value.getDefiningOp<ConcatenateOp>();
  if (joined && joined.getOperands().front() == former) {
    int64_t dim = joined.getDim();
    bool isOnly = llvm::all_of(open, [&](const OpenExtent &extent) {
      return extent.value != i || extent.dim == dim;
    });
    if (isOnly) {
      at[dim] = starts[i][dim];
      value =
          g.concat(SmallVector<Value>(joined.getOperands().drop_front()), dim);
    }
  }
  next[i] = g.dynamicUpdateSlice(whole, value, at);
}

LogicalResult LoopBuilder::addScans() {
  for (auto [i, given] : llvm::enumerate(plan.scanAxes)) {
    Value result = results[plan.firstResult + plan.initial.size() + i];
    Sizes one = g.sizes(result);
    FailureOr<int64_t> axis = ctx.axis(given, one.size() + 1);
    if (failed(axis))
      return failure();
    for (Size size : one)
      if (!isOutside(size, shell.getRegion()))
        return ctx.unsupported(
            "per-iteration results whose shape is found in the loop");
    Sizes all = one;
    all.insert(all.begin() + *axis, plan.trips);
    {
      OpBuilder::InsertionGuard guard(g.ops);
      g.ops.setInsertionPoint(shell);
      initial.push_back(g.splat(GraphBuilder::elementOf(result), all, 0));
    }
    sizes.push_back(all);
    Value whole = block()->addArgument(initial.back().getType(), loc());
    g.recordSizes(whole, all);
    Size position = shell.getInductionVar();
    if (plan.scanReversed[i])
      position = g.sub(g.sub(plan.trips, g.index(1)), position);
    Sizes at(all.size(), g.index(0));
    at[*axis] = position;
    next.push_back(
        g.dynamicUpdateSlice(whole, g.unsqueeze(result, {*axis}), at));
  }
  return success();
}

/// Carries extents that depend on values as numbers, behind the tensors.
void LoopBuilder::carryExtents() {
  for (OpenExtent &extent : open)
    if (!extent.isCounted()) {
      initial.push_back(g.indexValue(extent.first));
      next.push_back(g.indexValue(extent.next));
      define(extent, block()->addArgument(g.ops.getIndexType(), loc()));
    }
}

SmallVector<Value> LoopBuilder::finishFor() {
  carryExtents();
  scf::YieldOp::create(g.ops, loc(), next);
  g.ops.setInsertionPoint(shell);
  bool carriesTensorsOnly = initial.size() == sizes.size();
  Size steps =
      carriesTensorsOnly ? stepsOver(g, plan.trips, sizes) : plan.trips;
  auto loop = scf::ForOp::create(g.ops, loc(), g.indexValue(g.index(0)),
                                 g.indexValue(steps), g.indexValue(g.index(1)),
                                 initial);
  loop.getRegion().takeBody(shell.getRegion());
  shell.getRegion().emplaceBlock();
  g.ops.setInsertionPointAfter(loop);
  return atEnd(loop.getResults(), plan.trips);
}

/// Makes the loop while (i < trips && condition), which carries i, the values
/// and the condition.
SmallVector<Value> LoopBuilder::finishWhile() {
  carryExtents();
  Value zero = g.indexValue(g.index(0)), one = g.indexValue(g.index(1));
  next.insert(next.begin(), arith::AddIOp::create(
                                g.ops, loc(), shell.getInductionVar(), one));
  next.push_back(goesOn);
  block()->addArgument(goesOn.getType(), loc());
  scf::YieldOp::create(g.ops, loc(), next);
  initial.insert(initial.begin(), zero);
  initial.push_back(plan.condition);
  SmallVector<mlir::Type> types(ValueRange(initial).getTypes());
  SmallVector<Location> locations(initial.size(), loc());
  g.ops.setInsertionPoint(shell);
  auto loop = scf::WhileOp::create(g.ops, loc(), types, initial);
  loop.getAfter().takeBody(shell.getRegion());
  shell.getRegion().emplaceBlock();
  Block *before = g.ops.createBlock(&loop.getBefore(), {}, types, locations);
  Value more = arith::CmpIOp::create(g.ops, loc(), Predicate::slt,
                                     before->getArguments().front(),
                                     g.indexValue(plan.trips));
  more =
      arith::AndIOp::create(g.ops, loc(), more, before->getArguments().back());
  scf::ConditionOp::create(g.ops, loc(), more, before->getArguments());
  g.ops.setInsertionPointAfter(loop);
  // The number of iterations that took place.
  Size count = g.bound(loop.getResult(0), plan.trips);
  return atEnd(loop.getResults().drop_front().drop_back(), count);
}

/// The loop's results, cut to their extents after `count` iterations.
SmallVector<Value> LoopBuilder::atEnd(ValueRange carried, Size count) {
  ValueRange numbers = carried.drop_front(sizes.size());
  SmallVector<Value> ends(carried.take_front(sizes.size()));
  SmallVector<Sizes> box = sizes;
  for (OpenExtent &extent : open) {
    Size last;
    if (extent.isCounted()) {
      last = g.add(extent.first, g.mul(count, *extent.step.rows));
    } else {
      last = numbers.front();
      numbers = numbers.drop_front();
    }
    box[extent.value][extent.dim] = GraphBuilder::same(last, extent.capacity)
                                        ? last
                                        : g.bound(last, extent.capacity);
  }
  if (plan.condition)
    for (size_t i = plan.initial.size(); i < box.size(); ++i)
      box[i].front() = count;
  for (auto [i, end] : llvm::enumerate(ends)) {
    g.recordSizes(end, sizes[i]);
    Sizes zeros(box[i].size(), g.index(0)), ones(box[i].size(), g.index(1));
    end = g.slice(end, zeros, box[i], ones);
  }
  return ends;
}

} // namespace tenon::onnx
