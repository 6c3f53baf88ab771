// Full panels share their code. The remainder has code of its own, with masks
// for vectors that are not full.
#include "passes/cpu/tile/TilePanels.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tenon {

void TilePanels::forEach(Value first, Value end,
                         llvm::function_ref<void(const TilePanel &)> body) {
  std::optional<int64_t> columns = getConstantIntValue(nest.column.extent);
  int64_t vectors = width / lanes;
  Value step = at().constant(width);
  Value whole = at().add(
      first, at().mul(at().floorDiv(at().sub(end, first), step), step));
  if (!columns || *columns >= width)
    forRange(first, whole, width, [&](Value column) {
      SmallVector<Value> all(vectors);
      body({column, at().add(column, step), vectors, all, all});
    });
  if (columns && *columns % width == 0)
    return;
  when(at().less(whole, end), [&] {
    TilePanel panel{whole, end, vectors, {}, {}};
    auto maskType = VectorType::get({lanes}, b.getI1Type());
    if (columns)
      panel.vectors = llvm::divideCeilSigned(*columns % width, lanes);
    for (int64_t v = 0; v < panel.vectors; ++v) {
      bool full = columns && *columns % width >= (v + 1) * lanes;
      Value valid, mask;
      if (!full) {
        valid = columns
                    ? at().constant(*columns % width - v * lanes)
                    : at().sub(at().sub(end, whole), at().constant(v * lanes));
        valid =
            at().max(at().min(valid, at().constant(lanes)), at().constant(0));
        mask = vector::CreateMaskOp::create(b, loc, maskType, valid);
      }
      panel.masks.push_back(mask);
      panel.valid.push_back(valid);
    }
    body(panel);
  });
}

ColumnSource TilePanels::columnsOf(const TilePanel &panel, Value rhsOffset) {
  ColumnSource columns{nest.rhs,
                       nest.rhsElement,
                       at().add(rhsOffset, panel.first),
                       nest.sums.back().rhsStride,
                       {},
                       panel.masks};
  int64_t panelWidth = nest.panels ? nest.panels->width : width;
  Value next = nest.panels ? nest.panels->stride : at().constant(width);
  if (nest.panels) {
    Value number = at().floorDiv(panel.first, at().constant(panelWidth));
    // A tile may be narrower than a panel of rhs.
    Value within = width < panelWidth
                       ? at().remainder(panel.first, at().constant(panelWidth))
                       : at().constant(0);
    columns.base =
        at().add(at().add(rhsOffset, within), at().mul(number, next));
    columns.masks.clear();
    if (nest.scales)
      columns.scales = ScaleSource{
          nest.scales->memory,
          nest.scales->element,
          nest.scales->width,
          at().add(within, at().mul(number, nest.scales->panelStride)),
          {}};
  }
  for (int64_t v = 0; nest.scales && v < panel.vectors; ++v)
    columns.scales->places.push_back(
        at().add(at().mul(at().constant(v * lanes / panelWidth),
                          nest.scales->panelStride),
                 at().constant(v * lanes % panelWidth)));
  for (int64_t v = 0; v < panel.vectors; ++v)
    columns.places.push_back(
        at().add(at().mul(at().constant(v * lanes / panelWidth), next),
                 at().constant(v * lanes % panelWidth)));
  return columns;
}

} // namespace tenon
