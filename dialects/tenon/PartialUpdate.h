// Kernels that change a part of a tensor: one scatter or dynamic_update_slice.
#ifndef TENON_DIALECTS_TENON_PARTIALUPDATE_H
#define TENON_DIALECTS_TENON_PARTIALUPDATE_H

#include "dialects/tenon/TenonDialect.h"

#include <optional>

namespace tenon {

/// A fusion that computes one scatter or dynamic_update_slice and reads the
/// updated input for nothing else. It first copies this input to the output,
/// unless they are one buffer.
struct PartialUpdate {
  mlir::Operation *op; ///< the scatter or dynamic_update_slice in the region
  unsigned operand;    ///< the number of the input that is updated

  /// Null if the fusion is another kernel.
  static std::optional<PartialUpdate> of(FusionOp fusion);

  /// The elements that are written, as a value of the region.
  mlir::Value update() const;
};

/// True if `fusion`, on buffers, is a partial update whose operand and output
/// are one buffer, and the update's sizes are known outside the kernel. The
/// kernel then need not touch other elements.
bool updatesInPlace(FusionOp fusion);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_PARTIALUPDATE_H
