// Emits the part of register tiles that cares for the borders of an image. A
// tap may be outside the input for some rows of the tile. Then it is computed
// for all rows on elements that exist, and the rows outside keep their earlier
// sums: nothing is added to them, not even zero times a weight.
#include "passes/cpu/tile/TileKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tenon {

/// Up to this many taps along a line of an image have code of their own.
constexpr int64_t mostLineTaps = 5;

Value TileKernel::both(Value a, Value other) {
  if (!a || !other)
    return a ? a : other;
  return arith::AndIOp::create(b, loc, a, other);
}

Value TileKernel::windowStart(const SumDim &dim, ArrayRef<Value> position) {
  return at().sub(
      at().mul(position[dim.guard->row], at().constant(dim.guard->stride)),
      at().constant(dim.guard->low));
}

Value TileKernel::inside(const SumDim &dim, Value place) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, place,
                               dim.guard->input);
}

TileKernel::Values TileKernel::windowStarts(ArrayRef<Value> position) {
  Values starts;
  for (const SumDim &dim : nest.sums)
    if (dim.guard)
      starts.push_back(windowStart(dim, position));
  return starts;
}

Value TileKernel::fits(ArrayRef<Value> taps, ArrayRef<Value> starts) {
  Value result;
  for (auto [dim, tap] : llvm::zip(nest.sums, taps))
    if (dim.guard) {
      result = both(
          result,
          inside(dim,
                 at().add(starts.front(),
                          at().mul(tap, at().constant(dim.guard->dilation)))));
      starts = starts.drop_front();
    }
  return result;
}

/// True if the rows of a tile differ only in their last index, which ascends.
static bool areConsecutive(ArrayRef<SmallVector<Value>> positions) {
  ArrayRef<Value> outer = ArrayRef(positions.front()).drop_back();
  return llvm::all_of(positions, [&](ArrayRef<Value> position) {
    return position.drop_back() == outer;
  });
}

/// The rows whose tap `tap` is inside, if the constants of a line of an image
/// tell; nothing if they do not.
static std::optional<SmallVector<size_t>>
rowsInside(const SumDim &dim, ArrayRef<SmallVector<Value>> positions,
           int64_t tap) {
  std::optional<int64_t> input = getConstantIntValue(dim.guard->input);
  SmallVector<size_t> found;
  for (auto [r, position] : llvm::enumerate(positions)) {
    std::optional<int64_t> row = getConstantIntValue(position[dim.guard->row]);
    if (!row || !input)
      return std::nullopt;
    int64_t place =
        *row * dim.guard->stride - dim.guard->low + tap * dim.guard->dilation;
    if (place >= 0 && place < *input)
      found.push_back(r);
  }
  return found;
}

std::optional<TileKernel::Values>
TileKernel::lineByTaps(size_t level, const Values &rows,
                       ArrayRef<Values> positions, const Values &valid,
                       const ColumnSource &columns, ValueRange carried) {
  const SumDim &dim = nest.sums[level];
  std::optional<int64_t> taps = getConstantIntValue(dim.extent);
  if (!taps || *taps > mostLineTaps || !areConsecutive(positions) ||
      !rowsInside(dim, positions, 0))
    return std::nullopt;
  auto line = [&] {
    Values sums(carried);
    size_t vectors = sums.size() / rows.size();
    for (int64_t tap = 0; tap < *taps; ++tap) {
      SmallVector<size_t> there = *rowsInside(dim, positions, tap);
      if (there.empty())
        continue;
      Value number = at().constant(tap);
      Values all = moved(rows, at().mul(number, dim.lhsStride)), some, part;
      for (size_t r : there) {
        some.push_back(all[r]);
        llvm::append_range(part, ArrayRef(sums).slice(r * vectors, vectors));
      }
      part =
          nestFrom(level + 1, nest.sums, some,
                   columnsAt(columns, at().mul(number, dim.rhsStride)), part);
      for (auto [i, r] : llvm::enumerate(there))
        llvm::copy(ArrayRef(part).slice(i * vectors, vectors),
                   sums.begin() + r * vectors);
    }
    return sums;
  };
  // All rows of a line have the same taps along other dimensions.
  if (!valid.front())
    return line();
  return choose(valid.front(), carried, line, [&] { return Values(carried); });
}

/// The sums from `level` on, whose taps are all inside. Without its guard a
/// dimension can often be merged with the next one. It is not if no loop would
/// be left: LLVM would share what overlapping windows load, and keep it on the
/// stack.
SmallVector<SumDim> TileKernel::withoutGuards(size_t level) {
  SmallVector<SumDim> free(ArrayRef(nest.sums).drop_front(level));
  for (SumDim &dim : free)
    dim.guard.reset();
  if (free.size() < 2)
    return free;
  SumDim &last = free.back(), &outer = free[free.size() - 2];
  std::optional<int64_t> count = getConstantIntValue(last.extent);
  bool wholeBlocks = nest.block == 0 || (count && *count % nest.block == 0);
  std::optional<int64_t> taps = getConstantIntValue(outer.extent);
  bool isShort = taps && count && *taps * *count <= straightSteps;
  if (wholeBlocks && !isShort &&
      continuesDim(outer.lhsStride, last.lhsStride, last.extent) &&
      continuesDim(outer.rhsStride, last.rhsStride, last.extent)) {
    last.extent = at().mul(outer.extent, last.extent);
    free.erase(free.end() - 2);
  }
  return free;
}

/// True at run time if the rows are pixels beside each other and all their taps
/// are inside.
Value TileKernel::areInsideOneLine(ArrayRef<Values> positions) {
  const Values &first = positions.front(), &last = positions.back();
  Value distance = at().constant(int64_t(positions.size()) - 1);
  Value all =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, last.back(),
                            at().add(first.back(), distance));
  for (const SumDim &dim : nest.sums) {
    if (!dim.guard)
      continue;
    Value span = at().mul(at().sub(dim.extent, at().constant(1)),
                          at().constant(dim.guard->dilation)),
          end = at().add(windowStart(dim, last), span);
    all =
        both(all, both(inside(dim, windowStart(dim, first)), inside(dim, end)));
  }
  return all;
}

TileKernel::Values TileKernel::overImage(ArrayRef<Value> rows,
                                         ArrayRef<Values> positions,
                                         const ColumnSource &columns,
                                         ValueRange sums, bool oftenInside) {
  auto guarded = [&] {
    if (!nest.hasGuards())
      return nestFrom(0, nest.sums, Values(rows), columns, sums);
    return guardedFrom(0, Values(rows), positions, Values(rows.size()), columns,
                       sums, oftenInside);
  };
  if (!oftenInside || areConsecutive(positions))
    return guarded();
  // The loop then needs one address, not one for each row.
  auto inOneLine = [&] {
    Values beside;
    for (size_t r = 0; r < rows.size(); ++r)
      beside.push_back(
          at().add(rows.front(), at().mul(at().constant(int64_t(r)),
                                          nest.rows.back().lhsStride)));
    return nestFrom(0, withoutGuards(0), beside, columns, sums);
  };
  return choose(areInsideOneLine(positions), sums, inOneLine, guarded);
}

TileKernel::Values TileKernel::lastGuarded(size_t level, const Values &rows,
                                           ArrayRef<Values> positions,
                                           const Values &valid,
                                           const ColumnSource &columns,
                                           ValueRange carried,
                                           bool oftenInside) {
  const SumDim &dim = nest.sums[level];
  if (std::optional<Values> sums =
          lineByTaps(level, rows, positions, valid, columns, carried))
    return *sums;
  auto tapByTap = [&] {
    return overDim(
        dim, rows, columns, carried,
        [&](Value tap, Values moved, ColumnSource source,
            ValueRange former) -> Values {
          Value any;
          Values fits;
          for (size_t r = 0; r < rows.size(); ++r) {
            Value place =
                at().add(windowStart(dim, positions[r]),
                         at().mul(tap, at().constant(dim.guard->dilation)));
            fits.push_back(both(valid[r], inside(dim, place)));
            any = any ? Value(arith::OrIOp::create(b, loc, any, fits[r]))
                      : fits[r];
            moved[r] = arith::SelectOp::create(b, loc, fits[r], moved[r],
                                               at().constant(0));
          }
          return choose(
              any, former,
              [&] {
                Values sums =
                    nestFrom(level + 1, nest.sums, moved, source, former);
                size_t vectors = sums.size() / rows.size();
                for (size_t i = 0; i < sums.size(); ++i)
                  sums[i] = arith::SelectOp::create(b, loc, fits[i / vectors],
                                                    sums[i], former[i]);
                return sums;
              },
              [&] { return Values(former); });
        });
  };
  if (!oftenInside)
    return tapByTap();
  Value span = at().mul(at().sub(dim.extent, at().constant(1)),
                        at().constant(dim.guard->dilation));
  Value all;
  size_t count = rows.size();
  bool consecutive = areConsecutive(positions);
  for (size_t r = 0; r < count; ++r) {
    // If the first and the last of consecutive rows are inside, so are the rows
    // between them.
    if (consecutive && r > 0 && r + 1 < count)
      continue;
    Value first = windowStart(dim, positions[r]);
    all = both(all, both(valid[r], both(inside(dim, first),
                                        inside(dim, at().add(first, span)))));
  }
  auto whole = [&] {
    return nestFrom(0, withoutGuards(level), rows, columns, carried);
  };
  return choose(all, carried, whole, tapByTap);
}

TileKernel::Values TileKernel::guardedFrom(size_t level, Values rows,
                                           ArrayRef<Values> positions,
                                           Values valid, ColumnSource columns,
                                           ValueRange carried,
                                           bool oftenInside) {
  const SumDim &dim = nest.sums[level];
  bool last = llvm::none_of(ArrayRef(nest.sums).drop_front(level + 1),
                            [](const SumDim &d) { return bool(d.guard); });
  if (last)
    return lastGuarded(level, rows, positions, valid, columns, carried,
                       oftenInside);
  return overDim(
      dim, rows, columns, carried,
      [&](Value tap, Values moved, ColumnSource source, ValueRange inner) {
        Values fits = valid;
        if (dim.guard)
          for (size_t r = 0; r < rows.size(); ++r)
            fits[r] = both(
                valid[r],
                inside(dim, at().add(windowStart(dim, positions[r]),
                                     at().mul(tap, at().constant(
                                                       dim.guard->dilation)))));
        return guardedFrom(level + 1, moved, positions, fits, source, inner,
                           oftenInside);
      });
}

} // namespace tenon
