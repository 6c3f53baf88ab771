// Cuts weights that products and convolutions read by columns into panels as
// wide as a cache line, so that kernels read them sequentially. This pass only
// inserts the packing; tenon-fold-weights makes it a recipe.
#include "passes/graph/Passes.h"

#include "passes/graph/Bf16Weights.h"

#include "dialects/tenon/NumericsContract.h"
#include "dialects/tenon/Packing.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tenon {
#define GEN_PASS_DEF_PACKWEIGHTS
#include "passes/graph/Passes.h.inc"

namespace {
/// Columns of an f32 panel for products of at most `fewRows` rows. These are
/// bound by memory, and hardware prefetches one wide stream better than
/// several.
constexpr int64_t wideWidth = 4 * panelColumns,
                  lessWideWidth = 3 * panelColumns, fewRows = 4;
/// Columns of an int4 panel. Decoding int4 is slow: four FMA chains cannot hide
/// it, so a tile has six vectors.
constexpr int64_t nibbleWidth = 6 * panelColumns;
/// The largest weight in bytes that gets a packed copy beside the unpacked one.
constexpr int64_t smallWeight = 1 << 20;

bool isWide(int64_t extent) { return extent != 1; }

/// The dimension of a contraction's rhs that becomes the result's columns, if
/// kernels can read it in panels.
std::optional<int64_t> columnDim(Operation *op) {
  if (auto dot = dyn_cast<DotGeneralOp>(op)) {
    std::optional<int64_t> column;
    for (int64_t dim : dot.getRhsFree()) {
      if (!isWide(
              cast<RankedTensorType>(dot.getRhs().getType()).getDimSize(dim)))
        continue;
      if (column)
        return std::nullopt;
      column = dim;
    }
    return column;
  }
  auto convolution = dyn_cast<ConvolutionOp>(op);
  if (!convolution || convolution.getGroups() != 1)
    return std::nullopt;
  return cast<RankedTensorType>(convolution.getRhs().getType()).getRank() - 1;
}

/// The ops that read one weight.
struct Readers {
  llvm::MapVector<int64_t, SmallVector<OpOperand *>> byColumn;
  SmallVector<OpOperand *> gathers; ///< gathers can read panels too
  bool others = false;
  bool bf16 = false; ///< the weight loses nothing in 16 bits
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
        readers.bf16 = holdsBf16(symbols.lookup<WeightOp>(name));
        for (OpOperand &use : get->getUses())
          enter(use, readers);
      });
    for (auto &[name, readers] : weights)
      pack(readers);
  }

  static void enter(OpOperand &use, Readers &readers) {
    Operation *user = use.getOwner();
    std::optional<int64_t> column =
        use.getOperandNumber() == 1 ? columnDim(user) : std::nullopt;
    if (column)
      readers.byColumn[*column].push_back(&use);
    else if (isa<GatherOp>(user) && use.getOperandNumber() == 0)
      readers.gathers.push_back(&use);
    else
      readers.others = true;
  }

  /// True if `dot` has at most `fewRows` rows.
  static bool hasFewRows(DotGeneralOp dot) {
    auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
    int64_t rows = 1;
    for (int64_t dim : dot.getLhsFree()) {
      if (lhs.isDynamicDim(dim))
        return false;
      rows *= lhs.getDimSize(dim);
    }
    return rows <= fewRows;
  }

  /// The panel width in columns for a dimension of `extent` that `readers`
  /// read.
  int64_t panelWidth(Type element, int64_t extent, bool bf16,
                     ArrayRef<OpOperand *> readers) {
    bool allAreProducts = true, allHaveFewRows = true;
    for (OpOperand *reader : readers) {
      auto dot = dyn_cast<DotGeneralOp>(reader->getOwner());
      allAreProducts &= bool(dot);
      allHaveFewRows &= dot && hasFewRows(dot);
    }
    bool narrow =
        bits == 16 || (bits == 32 && bf16) || (bits < 16 && allAreProducts);
    auto filling = [&](int64_t width) {
      return int64_t(llvm::alignTo(extent, width)) - extent;
    };
    SmallVector<int64_t> widths;
    if (element.isF32() && narrow && bits == 4)
      widths = {nibbleWidth, wideWidth};
    else if (element.isF32() && narrow)
      widths = {wideWidth};
    else if (element.isF32() && allHaveFewRows)
      widths = {filling(lessWideWidth) <= filling(wideWidth) ? lessWideWidth
                                                             : wideWidth};
    for (int64_t width : widths)
      if (8 * filling(width) <= extent)
        return width;
    return panelRowBytes * 8 / element.getIntOrFloatBitWidth();
  }

  void pack(Readers &readers) {
    if (readers.byColumn.empty())
      return;
    auto &[column, uses] =
        *llvm::max_element(readers.byColumn, [](const auto &a, const auto &b) {
          return a.second.size() < b.second.size();
        });
    auto type = cast<RankedTensorType>(uses.front()->get().getType());
    if (!isa<FloatType>(type.getElementType()))
      return;
    int64_t extent = type.getDimSize(column),
            width =
                panelWidth(type.getElementType(), extent, readers.bf16, uses),
            padded = llvm::alignTo(extent, width),
            bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    // Skip: most of the panels would be padding.
    if (bytes == 0 || padded > 2 * extent)
      return;
    bool alone = !readers.others && readers.byColumn.size() == 1;
    if (!alone && bytes > smallWeight)
      return;
    SmallVector<OpOperand *> all(uses);
    if (alone)
      all.append(readers.gathers);
    for (OpOperand *use : all) {
      OpBuilder builder(use->getOwner());
      Location loc = use->get().getLoc();
      Value packed = PackOp::create(builder, loc, use->get(), column, width);
      use->set(UnpackOp::create(builder, loc, packed, column, extent));
    }
  }
};
} // namespace
} // namespace tenon
