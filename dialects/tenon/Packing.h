// tenon.pack and tenon.unpack: constant operands as kernels read them, in
// panels that lie in one piece each. tenon.pair and tenon.unpair: panels whose
// lines stand in pairs.
#ifndef TENON_DIALECTS_TENON_PACKING_H
#define TENON_DIALECTS_TENON_PACKING_H

#include "dialects/tenon/ShapeRules.h"
#include "dialects/tenon/TenonDialect.h"

#define GET_OP_CLASSES
#include "dialects/tenon/Packing.h.inc"

namespace tenon {

/// (pack C1, C2).
ShapeOrError packShape(Extents operand, int64_t dim, int64_t width);

/// (unpack C1, C2).
ShapeOrError unpackShape(Extents operand, int64_t dim, int64_t extent);

/// (pair C1).
ShapeOrError pairShape(Extents operand, mlir::Type element);

/// (unpair C1).
ShapeOrError unpairShape(Extents operand, mlir::Type element);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_PACKING_H
