// Quads: four neighbouring elements that a thread loads at once, where they are
// aligned.
#ifndef TENON_PASSES_GPU_ALIGNEDQUADS_H
#define TENON_PASSES_GPU_ALIGNEDQUADS_H

#include "passes/kernel/nest/NestTask.h"

namespace tenon {

/// The elements of a quad: 16 bytes of f32.
inline constexpr int64_t quad = 4;

/// True at run time if quads of `memory`, of rank 1, are aligned: its address
/// is, and all `offsets` are multiples of a quad. Null if some never are.
mlir::Value alignsQuads(Kernel &kernel, mlir::Value memory,
                        llvm::ArrayRef<mlir::Value> offsets);

/// The same for four products of a row; each block of the sum begins with one.
mlir::Value alignsProductsOfRows(Kernel &kernel, const ContractionNest &nest);
/// The same for four products of a column.
mlir::Value alignsProductsOfColumns(Kernel &kernel,
                                    const ContractionNest &nest);
/// The same for four neighbouring columns of a product, which then all exist or
/// are in a panel.
mlir::Value alignsColumns(Kernel &kernel, const ContractionNest &nest);

/// The offset in rhs of column number `column`, or of the last one if it is
/// behind it. With `neighbours` it is that of four columns from a multiple of a
/// quad on.
mlir::Value offsetOfColumn(Kernel &kernel, const ContractionNest &nest,
                           const NestTask &task, mlir::Value column,
                           bool neighbours);

} // namespace tenon

#endif // TENON_PASSES_GPU_ALIGNEDQUADS_H
