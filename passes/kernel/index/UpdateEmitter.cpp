// Kernels that write a part of a tensor in place: only the updated elements are
// touched, several neighbours at once. Tasks are parts of the update whose
// targets are disjoint, whatever the indices are. Updates whose targets may
// repeat stay in row-major order within a task.
#include "dialects/tenon/KernelPlan.h"
#include "dialects/tenon/PartialUpdate.h"
#include "passes/kernel/element/ColumnLoop.h"
#include "passes/kernel/index/IndexKernels.h"
#include "passes/kernel/index/UpdateTarget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tenon {

/// The least number of elements in a task, so that the cost of starting it is
/// small; and the columns of a task whose number of updates is unknown.
constexpr int64_t taskElements = 16384, taskColumns = 256;
/// The extent assumed for a row of unknown width.
constexpr int64_t typicalWidth = 256;

namespace {
/// The dimensions of an update by the loops that they become.
struct UpdateLoops {
  SmallVector<int64_t> independent; ///< different indices, different targets
  SmallVector<int64_t> ordered;     ///< different indices may have one target
  bool vectors = false; ///< the last dimension is in neither list: neighbours
                        ///< are neighbours in the operand too
};
} // namespace

/// True if neighbours along the update's last dimension are neighbours along
/// the operand's last dimension, at the same position.
static bool hasColumns(Operation *op, int64_t updateRank) {
  if (updateRank == 0)
    return false;
  auto scatter = dyn_cast<ScatterOp>(op);
  if (!scatter)
    return true;
  int64_t last =
      cast<RankedTensorType>(scatter.getOperand().getType()).getRank() - 1;
  return llvm::is_contained(scatter.getUpdateWindowDims(), updateRank - 1) &&
         !llvm::is_contained(scatter.getInsertedDims(), last) &&
         !llvm::is_contained(scatter.getOperandBatchingDims(), last) &&
         !llvm::is_contained(scatter.getIndexMap(), last);
}

static UpdateLoops loopsOf(const PartialUpdate &update) {
  UpdateLoops loops;
  int64_t rank = cast<RankedTensorType>(update.update().getType()).getRank();
  loops.vectors = hasColumns(update.op, rank);
  auto scatter = dyn_cast<ScatterOp>(update.op);
  for (int64_t d = 0; d < rank - loops.vectors; ++d)
    (!scatter || hasOwnTargets(scatter, d) ? loops.independent : loops.ordered)
        .push_back(d);
  return loops;
}

Attribute planUpdate(FusionOp fusion) {
  if (!updatesInPlace(fusion))
    return {};
  PartialUpdate update = *PartialUpdate::of(fusion);
  UpdateLoops loops = loopsOf(update);
  auto type = cast<RankedTensorType>(update.update().getType());
  int64_t width = loops.vectors ? type.getShape().back() : 1;
  if (ShapedType::isDynamic(width))
    width = typicalWidth;
  bool ordered = !loops.ordered.empty();
  int64_t rows =
      ordered
          ? 1
          : std::max<int64_t>(1, taskElements / std::max<int64_t>(1, width));
  return UpdatePlanAttr::get(fusion.getContext(), rows,
                             ordered && loops.vectors ? taskColumns : 0);
}

namespace {
class UpdateWriter {
public:
  UpdateWriter(Kernel &kernel, UpdatePlanAttr plan)
      : kernel(kernel), b(kernel.builder), plan(plan),
        update(*PartialUpdate::of(kernel.fusion)), loops(loopsOf(update)),
        scalars(kernel, 1) {}

  TaskCounter emit() {
    // A kernel argument of its own may be read out of order with the output.
    kernel.arguments[operand()] = kernel.outputs[0];
    auto type = cast<RankedTensorType>(update.update().getType());
    for (int64_t d = 0; d < type.getRank(); ++d)
      extents.push_back(scalars.extent(update.update(), d));
    if (auto slice = dyn_cast<DynamicUpdateSliceOp>(update.op))
      start = sliceStart(kernel, scalars, slice);
    Value perTask = at().constant(plan.getRows());
    auto loop =
        scf::ForOp::create(b, kernel.loc(), at().mul(kernel.begin, perTask),
                           at().min(at().mul(kernel.end, perTask),
                                    countUnits(at(), plan, loops, extents)),
                           at().constant(1));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      writeUnit(loop.getInductionVar());
    }
    return [plan = plan, loops = loops](OpBuilder &b, Location loc,
                                        ArrayRef<OpFoldResult> sizes) -> Value {
      IndexBuilder at{b, loc};
      SmallVector<Value> extents;
      for (OpFoldResult size : sizes)
        extents.push_back(getValueOrCreateConstantIndexOp(b, loc, size));
      return at.ceilDiv(countUnits(at, plan, loops, extents), plan.getRows());
    };
  }

private:
  IndexBuilder at() { return {b, kernel.loc()}; }
  Value operand() { return update.op->getOperand(0); }

  /// The number of pieces that each row is divided into.
  static Value countPieces(IndexBuilder at, UpdatePlanAttr plan,
                           ArrayRef<Value> extents) {
    return plan.getColumns() == 0
               ? at.constant(1)
               : at.ceilDiv(extents.back(), plan.getColumns());
  }

  /// The number of pieces of all rows whose targets are disjoint.
  static Value countUnits(IndexBuilder at, UpdatePlanAttr plan,
                          const UpdateLoops &loops, ArrayRef<Value> extents) {
    Value units = countPieces(at, plan, extents);
    for (int64_t d : loops.independent)
      units = at.mul(units, extents[d]);
    return units;
  }

  /// Writes one piece of one row, for all ordered dimensions.
  void writeUnit(Value unit) {
    Value pieces = countPieces(at(), plan, extents);
    Value piece = at().remainder(unit, pieces);
    SmallVector<Value> rowExtents, place(extents.size());
    for (int64_t d : loops.independent)
      rowExtents.push_back(extents[d]);
    SmallVector<Value> row =
        at().delinearize(at().floorDiv(unit, pieces), rowExtents);
    for (auto [d, index] : llvm::zip_equal(loops.independent, row))
      place[d] = index;
    for (int64_t d : loops.ordered) {
      auto loop = scf::ForOp::create(b, kernel.loc(), at().constant(0),
                                     extents[d], at().constant(1));
      place[d] = loop.getInductionVar();
      b.setInsertionPointToStart(loop.getBody());
    }
    if (loops.vectors)
      place.back() = at().constant(0);
    writePiece(place, piece);
  }

  void writePiece(SmallVector<Value> place, Value piece) {
    UpdateTarget target;
    if (auto scatter = dyn_cast<ScatterOp>(update.op))
      target = scatterTarget(kernel, scalars, scatter, place);
    else
      for (auto [first, offset] : llvm::zip_equal(start, place))
        target.place.push_back(at().add(first, offset));
    if (target.inside)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, kernel.loc(), target.inside, false).thenBlock());
    if (!loops.vectors) {
      ElementEmitter emitter(kernel, 1);
      write(emitter, place, target.place);
      return;
    }
    Value width = extents.back(), low = at().constant(0), high = width;
    if (plan.getColumns() != 0) {
      low = at().mul(piece, at().constant(plan.getColumns()));
      high = at().min(at().add(low, at().constant(plan.getColumns())), width);
    }
    Value firstColumn = target.place.back();
    auto writeColumn = [&](ElementEmitter &emitter, Value column) {
      place.back() = column;
      target.place.back() = at().add(firstColumn, column);
      return write(emitter, place, target.place);
    };
    int64_t lanes = kernel.lanes();
    std::optional<int64_t> known = getConstantIntValue(width);
    if ((!known || *known >= lanes) &&
        emitVectorColumns(kernel, low, high, lanes, writeColumn))
      return;
    auto loop =
        scf::ForOp::create(b, kernel.loc(), low, high, at().constant(1));
    b.setInsertionPointToStart(loop.getBody());
    ElementEmitter emitter(kernel, 1);
    writeColumn(emitter, loop.getInductionVar());
  }

  /// Writes the update's elements from `place` on. Returns false if `emitter`
  /// cannot compute them.
  bool write(ElementEmitter &emitter, ArrayRef<Value> place,
             ArrayRef<Value> target) {
    Type element = elementTypeOf(operand());
    Value value = emitter.emit(update.update(), lanesFrom(place));
    if (emitter.failed())
      return false;
    if (auto scatter = dyn_cast<ScatterOp>(update.op);
        scatter && scatter.getKind() != ScatterKind::Set) {
      Value old = emitter.emit(operand(), lanesFrom(target));
      value = combineUpdate(b, kernel.loc(), scatter.getKind(), element, old,
                            value);
    }
    emitter.store(value, element, kernel.outputs[0], target);
    return true;
  }

  SmallVector<LaneIndex> lanesFrom(ArrayRef<Value> place) {
    SmallVector<LaneIndex> indices;
    for (Value index : place)
      indices.push_back({index, 0});
    if (loops.vectors)
      indices.back().stride = 1;
    return indices;
  }

  Kernel &kernel;
  OpBuilder &b;
  UpdatePlanAttr plan;
  PartialUpdate update;
  UpdateLoops loops;
  ElementEmitter scalars;
  SmallVector<Value> extents, start;
};
} // namespace

TaskCounter emitUpdate(Kernel &kernel, UpdatePlanAttr plan) {
  return UpdateWriter(kernel, plan).emit();
}

} // namespace tenon
