// Cuts weights that products and convolutions read by columns into panels as
// wide as a cache line, so that kernels read them sequentially. This pass only
// inserts the packing; tenon-fold-weights makes it a recipe.
#include "passes/graph/Passes.h"

#include "passes/graph/NarrowWeights.h"

#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/Remarks.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "tenon-pack-weights"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/graph/Passes.h.inc"

namespace {
/// Columns of an f32 panel for products that are bound by memory: hardware
/// prefetches one wide stream better than several.
constexpr int64_t wideWidth = 4 * panelColumns,
                  lessWideWidth = 3 * panelColumns;
/// Columns of an int4 panel. Decoding int4 is slow: four FMA chains cannot hide
/// it, so a tile has six vectors.
constexpr int64_t nibbleWidth = 6 * panelColumns;
/// The largest weight in bytes that gets a packed copy beside the unpacked one.
constexpr int64_t smallWeight = 1 << 20;

bool isWide(int64_t extent) { return extent != 1; }

/// The dimension of the operand of `use` that becomes the result's columns, if
/// a kernel can read it in panels. Otherwise sets `obstacle` if the reader is a
/// contraction.
std::optional<int64_t> columnDim(OpOperand &use, const char *&obstacle) {
  Operation *op = use.getOwner();
  if (!isa<DotGeneralOp, ConvolutionOp>(op))
    return std::nullopt;
  if (use.getOperandNumber() != 1) {
    obstacle = "it is the left operand, which gives rows";
    return std::nullopt;
  }
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    std::optional<int64_t> column;
    for (int64_t dim : dot.getRhsFree()) {
      if (!isWide(
              cast<RankedTensorType>(dot.getRhs().getType()).getDimSize(dim)))
        continue;
      if (column) {
        obstacle = "its columns have several dimensions";
        return std::nullopt;
      }
      column = dim;
    }
    if (!column)
      obstacle = "it has one column";
    return column;
  }
  auto convolution = cast<ConvolutionOp>(op);
  if (convolution.getGroups() != 1) {
    obstacle = "the convolution has groups";
    return std::nullopt;
  }
  return cast<RankedTensorType>(convolution.getRhs().getType()).getRank() - 1;
}

/// The ops that read one weight.
struct Readers {
  llvm::MapVector<int64_t, SmallVector<OpOperand *>> byColumn;
  SmallVector<OpOperand *> gathers; ///< gathers can read panels too
  bool others = false;
  /// A contraction that cannot read panels, and why.
  Operation *refusing = nullptr;
  const char *obstacle = nullptr;
  bool narrow = false; ///< the weight loses nothing in 16 bits
};

struct PackWeights : impl::PackWeightsBase<PackWeights> {
  using Base::Base;

  void runOnOperation() override {
    llvm::MapVector<StringAttr, Readers> weights;
    SymbolTable symbols(getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](GetWeightOp get) {
        StringAttr name = get.getWeightAttr().getAttr();
        Readers &readers = weights[name];
        readers.narrow = bool(narrowElementOf(symbols.lookup<WeightOp>(name)));
        for (OpOperand &use : get->getUses())
          enter(use, readers);
      });
    for (auto &[name, readers] : weights)
      pack(name, readers);
  }

  static void enter(OpOperand &use, Readers &readers) {
    Operation *user = use.getOwner();
    const char *obstacle = nullptr;
    std::optional<int64_t> column = columnDim(use, obstacle);
    if (column)
      readers.byColumn[*column].push_back(&use);
    else if (isa<GatherOp>(user) && use.getOperandNumber() == 0)
      readers.gathers.push_back(&use);
    else
      readers.others = true;
    if (obstacle && !readers.obstacle) {
      readers.refusing = user;
      readers.obstacle = obstacle;
    }
  }

  /// True if `dot` has at most `memoryBoundRows` rows.
  static bool isMemoryBound(DotGeneralOp dot) {
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    int64_t rows = 1;
    for (int64_t dim : dot.getLhsFree()) {
      if (lhs.isDynamicDim(dim))
        return false;
      rows *= lhs.getDimSize(dim);
    }
    return rows <= memoryBoundRows;
  }

  /// The panel width in columns for a dimension of `extent` that `readers`
  /// read.
  int64_t panelWidth(Type element, int64_t extent, bool isNarrow,
                     ArrayRef<OpOperand *> readers) {
    bool allAreProducts = true, allAreMemoryBound = true;
    for (OpOperand *reader : readers) {
      auto dot = dyn_cast<DotGeneralOp>(reader->getOwner());
      allAreProducts &= bool(dot);
      allAreMemoryBound &= dot && isMemoryBound(dot);
    }
    int bits = bitsOf(format);
    bool narrow =
        bits == 16 || (bits == 32 && isNarrow) || (bits < 16 && allAreProducts);
    auto filling = [&](int64_t width) {
      return int64_t(llvm::alignTo(extent, width)) - extent;
    };
    SmallVector<int64_t> widths;
    if (element.isF32() && narrow && bits == 4)
      widths = {nibbleWidth, wideWidth};
    else if (element.isF32() && narrow)
      widths = {wideWidth};
    else if (element.isF32() && allAreMemoryBound)
      widths = {filling(lessWideWidth) <= filling(wideWidth) ? lessWideWidth
                                                             : wideWidth};
    for (int64_t width : widths)
      if (8 * filling(width) <= extent)
        return width;
    return panelRowBytes * 8 / element.getIntOrFloatBitWidth();
  }

  static void reportMissed(StringAttr weight, Operation *reader,
                           StringRef obstacle) {
    if (auto remark = remarkMissed(reader, RemarkCategory::Packing, "unpacked"))
      remark << ("weight '" + weight.getValue() + "' is not stored in panels")
                    .str()
             << because(obstacle);
  }

  void pack(StringAttr name, Readers &readers) {
    if (readers.byColumn.empty()) {
      if (readers.obstacle)
        reportMissed(name, readers.refusing, readers.obstacle);
      return;
    }
    auto &[column, uses] =
        *llvm::max_element(readers.byColumn, [](const auto &a, const auto &b) {
          return a.second.size() < b.second.size();
        });
    Operation *reader = uses.front()->getOwner();
    auto type = cast<RankedTensorType>(uses.front()->get().getType());
    if (!isa<FloatType>(type.getElementType()))
      return reportMissed(name, reader, "its elements are integers");
    int64_t extent = type.getDimSize(column),
            width =
                panelWidth(type.getElementType(), extent, readers.narrow, uses),
            padded = llvm::alignTo(extent, width),
            bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    bool alone = !readers.others && readers.byColumn.size() == 1;
    LDBG() << name << ": " << uses.size() << " readers of column " << column
           << ", " << readers.gathers.size() << " gathers, extent " << extent
           << ", width " << width << (alone ? "" : ", also read unpacked");
    if (bytes == 0)
      return reportMissed(name, reader, "it has no elements");
    if (padded > 2 * extent)
      return reportMissed(name, reader, "most of a panel would be padding");
    if (!alone && bytes > smallWeight)
      return reportMissed(name, reader,
                          "other ops read it in another form, and it is too "
                          "large to be stored twice");
    SmallVector<OpOperand *> all(uses);
    if (alone)
      all.append(readers.gathers);
    for (OpOperand *use : all) {
      OpBuilder builder(use->getOwner());
      Location loc = use->get().getLoc();
      Value packed = PackOp::create(builder, loc, use->get(), column, width);
      use->set(UnpackOp::create(builder, loc, packed, column, extent));
    }
    if (auto remark = remarkDone(reader, RemarkCategory::Packing, "packed"))
      remark << llvm::formatv("weight '{0}' is stored in panels of {1} columns"
                              "{2}",
                              name.getValue(), width,
                              alone ? "" : ", beside its unpacked form")
                    .str();
  }
};
} // namespace
} // namespace tenon
