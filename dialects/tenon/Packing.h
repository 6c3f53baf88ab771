// tenon.pack and tenon.unpack: constant operands cut into contiguous panels, as
// kernels read them. tenon.pair and tenon.unpair: panels whose rows are
// interleaved in pairs.
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

/// The result's shape (pair C1).
ShapeOrError pairShape(Extents operand, mlir::Type element);

/// The result's shape (unpair C1).
ShapeOrError unpairShape(Extents operand, mlir::Type element);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_PACKING_H
