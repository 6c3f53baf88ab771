// tenon.pack and tenon.unpack: constant operands cut into contiguous panels, as
// kernels read them. tenon.pair, tenon.quad and their inverses: panels whose
// rows are interleaved in words of two or four.
#ifndef TENON_DIALECTS_TENON_PACKING_H
#define TENON_DIALECTS_TENON_PACKING_H

#include "dialects/tenon/ShapeRules.h"
#include "dialects/tenon/TenonDialect.h"

#define GET_OP_CLASSES
#include "dialects/tenon/Packing.h.inc"

namespace tenon {

/// The result's shape (pack C1, C2).
ShapeOrError packShape(Extents operand, int64_t dim, int64_t width);

/// The result's shape (unpack C1, C2).
ShapeOrError unpackShape(Extents operand, int64_t dim, int64_t extent);

/// The elements of a word: two of bf16 or four bytes.
constexpr int64_t pairCount = 2, quadCount = 4;

/// The shape of words that hold `count` elements each (pair C1, quad C1).
ShapeOrError wordShape(Extents operand, mlir::Type element, int64_t count);

/// The shape of the elements of words (unpair C1, unquad C1).
ShapeOrError elementShape(Extents words, mlir::Type word, int64_t count);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_PACKING_H
