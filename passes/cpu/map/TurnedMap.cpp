// Maps that read along one dimension of their result and write along another,
// as a transpose does. A vector along the dimension that is read is contiguous
// in the operands; one along the last dimension would take each element from a
// cache line of its own. So a square tile is computed in vectors along the
// former, and turned on its way to the result. A few columns, such as the
// channels of an image, are interleaved instead.
#include "passes/cpu/map/MapKernels.h"

#include "passes/kernel/KernelLoops.h"
#include "passes/kernel/element/ElementEmitter.h"
#include "passes/kernel/numerics/Conversions.h"
#include "passes/kernel/numerics/TransposeSquare.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SmallSet.h"

#include <set>

using namespace mlir;

namespace tenon {

/// Elements of a task, at least.
constexpr int64_t grain = 16384;
/// The assumed last extent if it is known only at run time.
constexpr int64_t typicalWidth = 256;
/// Dimensions that are known to be shorter do not fill a tile.
constexpr int64_t shortest = 8;
/// The most columns that are interleaved.
constexpr int64_t mostInterleaved = 4;

namespace {
/// The dimensions of the result along which operands are contiguous. An operand
/// of one dimension is small, and does not count.
class ReadDims {
public:
  explicit ReadDims(FusionOp fusion) {
    Value root = fusion.getYield().getOperand(0);
    int64_t rank = cast<RankedTensorType>(root.getType()).getRank();
    visit(root, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
  }

  /// The dimension, if all operands have the same; nullopt if an op is neither
  /// elementwise, a transpose, a broadcast nor a constant.
  std::optional<int64_t> only() const {
    if (!isCovered || found.size() != 1)
      return std::nullopt;
    return *found.begin();
  }

private:
  /// `dims` has the dimension of the result for each one of `value`, -1 if its
  /// index does not depend on the result's.
  void visit(Value value, SmallVector<int64_t> dims) {
    if (!visited.insert({value, dims}).second)
      return;
    Operation *op = value.getDefiningOp();
    if (!op) {
      if (dims.size() > 1 && dims.back() >= 0)
        found.insert(dims.back());
      return;
    }
    if (op->hasTrait<Elementwise>()) {
      for (Value operand : op->getOperands())
        visit(operand, rankOf(operand) == 0 ? SmallVector<int64_t>() : dims);
      return;
    }
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      SmallVector<int64_t> before(dims.size());
      for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
        before[dim] = dims[i];
      return visit(transpose.getOperand(), before);
    }
    if (auto broadcast = dyn_cast<BroadcastInDimOp>(op)) {
      auto type = cast<RankedTensorType>(broadcast.getOperand().getType());
      SmallVector<int64_t> before;
      for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
        before.push_back(type.getDimSize(i) == 1 ? -1 : dims[dim]);
      return visit(broadcast.getOperand(), before);
    }
    isCovered &= isa<ConstantOp>(op);
  }

  static int64_t rankOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  }

  struct Earlier {
    bool operator()(const std::pair<Value, SmallVector<int64_t>> &a,
                    const std::pair<Value, SmallVector<int64_t>> &b) const {
      return std::tuple(a.first.getAsOpaquePointer(), a.second) <
             std::tuple(b.first.getAsOpaquePointer(), b.second);
    }
  };

  bool isCovered = true;
  llvm::SmallSet<int64_t, 4> found;
  std::set<std::pair<Value, SmallVector<int64_t>>, Earlier> visited;
};

class TurnedMap : KernelLoops {
public:
  TurnedMap(Kernel &kernel, int64_t read, bool areInterleaved)
      : KernelLoops(kernel), areInterleaved(areInterleaved),
        root(kernel.fusion.getYield().getOperand(0)),
        element(cast<RankedTensorType>(root.getType()).getElementType()),
        output(kernel.outputs[0]), read(read),
        rank(cast<RankedTensorType>(root.getType()).getRank()) {
    Type held = kernelElementType(element);
    int64_t bytes = held.getIntOrFloatBitWidth() / 8;
    // A cache line of elements, but at most 16, so that a tile stays in
    // registers and L1.
    side = std::clamp<int64_t>(kernel.machine.getLine() / bytes, 8, 16);
    lanes = std::min(kernel.lanes(), side);
    tile = scratchOf(held, side * side);
    for (int64_t d = 0; d < rank; ++d)
      extents.push_back(ElementEmitter(kernel, 1).extent(output, d));
  }

  /// Null, with nothing emitted, if an op cannot be computed in vectors along
  /// the dimension that is read.
  TaskCounter emit();

private:
  Value count(int64_t n) { return at().constant(n); }
  /// The tile of rows from `row` and of columns from `column` on.
  void emitTile(const Values &outer, Value row, Value column);
  void compute(const Values &outer, Value row, Value column, Value rows,
               Value columns);
  void storeTurned(const Values &outer, Value row, Value column);
  void storeInterleaved(const Values &outer, Value row);
  void storeRest(const Values &outer, Value row, Value column, Value rows,
                 Value columns);
  Values placeOf(Values outer, Value row, Value column);

  bool areInterleaved; ///< the columns
  Value root;
  Type element; ///< of the result
  Value output;
  int64_t read, rank;
  int64_t side, lanes; ///< of a tile and of the vectors that are turned
  Value tile;          ///< column after column
  Values extents;
  bool hasFailed = false;
};

/// The indices of the result at a row, an index of the dimension that is read,
/// and a column. `outer` has the other indices.
TurnedMap::Values TurnedMap::placeOf(Values outer, Value row, Value column) {
  outer.insert(outer.begin() + read, row);
  outer.push_back(column);
  return outer;
}

void TurnedMap::compute(const Values &outer, Value row, Value column,
                        Value rows, Value columns) {
  forRange(count(0), columns, 1, [&](Value j) {
    auto vectorOf = [&](Value valid) {
      ElementEmitter emitter(kernel, side);
      if (valid)
        emitter.setValid(valid);
      SmallVector<LaneIndex> indices;
      for (Value index : placeOf(outer, row, at().add(column, j)))
        indices.push_back({index, 0});
      indices[read].stride = 1;
      Value vector = emitter.emit(root, indices);
      hasFailed |= emitter.failed();
      if (!hasFailed)
        vector::StoreOp::create(b, loc, vector, tile, at().mul(j, count(side)));
    };
    choose(
        at().less(rows, count(side)), [&] { vectorOf(rows); },
        [&] { vectorOf({}); });
  });
}

void TurnedMap::storeTurned(const Values &outer, Value row, Value column) {
  auto type = VectorType::get({lanes}, kernelElementType(element));
  for (int64_t down = 0; down < side; down += lanes)
    for (int64_t right = 0; right < side; right += lanes) {
      Values square;
      for (int64_t k = 0; k < lanes; ++k)
        square.push_back(vector::LoadOp::create(
            b, loc, type, tile, count((right + k) * side + down)));
      transposeSquare(b, loc, square);
      for (auto [r, vector] : llvm::enumerate(square))
        ElementEmitter(kernel, lanes)
            .store(vector, element, output,
                   placeOf(outer, at().add(row, count(down + int64_t(r))),
                           at().add(column, count(right))));
    }
}

/// Stores a tile of all columns, of which there are few: its rows follow one
/// another in memory.
void TurnedMap::storeInterleaved(const Values &outer, Value row) {
  int64_t columns = *getConstantIntValue(extents.back());
  auto type = VectorType::get({side}, kernelElementType(element));
  Values parts;
  for (int64_t j = 0; j < columns; ++j)
    parts.push_back(
        vector::LoadOp::create(b, loc, type, tile, count(j * side)));
  for (int64_t k = 0; k < columns; ++k) {
    int64_t first = k * side;
    Value woven = parts[0];
    for (int64_t j = 1; j < columns; ++j) {
      SmallVector<int64_t> from(side);
      for (int64_t lane = 0; lane < side; ++lane) {
        int64_t place = (first + lane) / columns,
                column = (first + lane) % columns;
        from[lane] = column == j             ? side + place
                     : j == 1 && column == 0 ? place
                                             : lane;
      }
      woven = vector::ShuffleOp::create(b, loc, woven, parts[j], from);
    }
    ElementEmitter(kernel, side)
        .store(woven, element, output,
               placeOf(outer, at().add(row, count(first / columns)),
                       count(first % columns)));
  }
}

/// Stores a tile that is not full, element by element.
void TurnedMap::storeRest(const Values &outer, Value row, Value column,
                          Value rows, Value columns) {
  forRange(count(0), rows, 1, [&](Value i) {
    forRange(count(0), columns, 1, [&](Value j) {
      Value value = memref::LoadOp::create(
          b, loc, tile, at().add(at().mul(j, count(side)), i));
      ElementEmitter(kernel, 1).store(
          value, element, output,
          placeOf(outer, at().add(row, i), at().add(column, j)));
    });
  });
}

void TurnedMap::emitTile(const Values &outer, Value row, Value column) {
  Value rows = at().min(at().sub(extents[read], row), count(side)),
        columns = at().min(at().sub(extents.back(), column), count(side));
  compute(outer, row, column, rows, columns);
  if (areInterleaved)
    return choose(
        at().less(rows, count(side)),
        [&] { storeRest(outer, row, column, rows, columns); },
        [&] { storeInterleaved(outer, row); });
  choose(
      at().less(at().min(rows, columns), count(side)),
      [&] { storeRest(outer, row, column, rows, columns); },
      [&] { storeTurned(outer, row, column); });
}

TaskCounter TurnedMap::emit() {
  EmittedOps emitted(b);
  Value bands = at().ceilDiv(extents[read], side);
  Values numbers(extents);
  numbers.pop_back();
  numbers.erase(numbers.begin() + read);
  numbers.push_back(bands);
  Value all = count(1);
  for (Value extent : numbers)
    all = at().mul(all, extent);
  int64_t width = std::max<int64_t>(
      1, getConstantIntValue(extents.back()).value_or(typicalWidth));
  int64_t perTask = std::max<int64_t>(1, grain / (side * width));
  forRange(at().mul(kernel.begin, count(perTask)),
           at().min(at().mul(kernel.end, count(perTask)), all), 1,
           [&](Value band) {
             Values outer = at().delinearize(band, numbers);
             Value row = at().mul(outer.pop_back_val(), count(side));
             forRange(count(0), extents.back(), side,
                      [&](Value column) { emitTile(outer, row, column); });
           });
  if (hasFailed) {
    emitted.erase();
    return nullptr;
  }
  return [perTask, read = read, side = side](OpBuilder &b, Location loc,
                                             ArrayRef<OpFoldResult> sizes) {
    IndexBuilder at{b, loc};
    SmallVector<OpFoldResult> others(sizes.drop_back());
    others.erase(others.begin() + read);
    Value bands = at.ceilDiv(at.product(sizes[read]), side);
    return at.ceilDiv(at.mul(at.product(others), bands), perTask);
  };
}
} // namespace

TaskCounter emitTurnedMap(Kernel &kernel) {
  Value root = kernel.fusion.getYield().getOperand(0);
  auto type = cast<RankedTensorType>(root.getType());
  std::optional<int64_t> read = ReadDims(kernel.fusion).only();
  auto isShort = [&](int64_t dim) {
    return !type.isDynamicDim(dim) && type.getDimSize(dim) < shortest;
  };
  int64_t last = type.getRank() - 1;
  // A tile of i1 would need vectors that memory does not have.
  if (!read || *read == last || isShort(*read) ||
      type.getElementType().isInteger(1))
    return nullptr;
  int64_t columns = type.getDimSize(last);
  bool areInterleaved = *read == last - 1 && !type.isDynamicDim(last) &&
                        columns > 1 && columns <= mostInterleaved;
  if (isShort(last) && !areInterleaved)
    return nullptr;
  return TurnedMap(kernel, *read, areInterleaved).emit();
}

} // namespace tenon
