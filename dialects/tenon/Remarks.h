// Remarks of passes on MLIR's remark engine: what a pass did to make the code
// faster or smaller, what it did not do, and why. A context without an engine
// builds no remark.
#ifndef TENON_DIALECTS_TENON_REMARKS_H
#define TENON_DIALECTS_TENON_REMARKS_H

#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

#include <string>

namespace tenon {

/// What remarks are about. A user selects them by category.
enum class RemarkCategory {
  Attention, ///< products and softmax that become one kernel
  Fusion,    ///< ops that share a kernel
  InPlace,   ///< results written to memory that holds another value
  Kernels,   ///< plans of kernels, and kernels that several fusions share
  Packing,   ///< the form in which a weight is stored
  Products,  ///< how f32 products are formed
  Transfers, ///< copies between the host and a device
  Variants,  ///< copies of functions for static sizes
  Weights,   ///< computations that are done when the artifact is written
};

/// The names of all categories, in the order of the enum.
llvm::ArrayRef<llvm::StringLiteral> remarkCategories();

/// A remark that is emitted at the end of its scope; false if none is wanted.
/// Everything streamed into it must be text; `because` gives the reason.
using PassRemark = mlir::remark::detail::InFlightRemark;

namespace detail {
PassRemark startRemark(mlir::Operation *op, RemarkCategory category,
                       llvm::StringLiteral name, bool isDone);
}

/// Starts a remark on what was done with `op`, at its model node; a fusion is
/// at the node of its main op. `name` identifies the decision for programs and
/// counts.
inline PassRemark remarkDone(mlir::Operation *op, RemarkCategory category,
                             llvm::StringLiteral name) {
  return op->getContext()->getRemarkEngine()
             ? detail::startRemark(op, category, name, true)
             : PassRemark();
}

/// Starts a remark on what was not done with `op`.
inline PassRemark remarkMissed(mlir::Operation *op, RemarkCategory category,
                               llvm::StringLiteral name) {
  return op->getContext()->getRemarkEngine()
             ? detail::startRemark(op, category, name, false)
             : PassRemark();
}

/// True if any remark may be wanted. For work that only remarks need.
inline bool wantsRemarks(mlir::Operation *op) {
  return op->getContext()->getRemarkEngine();
}

/// The reason of a remark.
inline mlir::remark::detail::Remark::Arg because(llvm::StringRef reason) {
  return {"Reason", reason};
}

/// A number that `tenon compile --stats` adds up over all remarks of one name.
inline mlir::remark::detail::Remark::Arg amount(llvm::StringRef of, int64_t n) {
  return {of, n};
}

/// The op that a fusion is named after: its contraction, otherwise the op that
/// computes its first result; null if that is no op.
mlir::Operation *mainOpOf(FusionOp fusion);

/// The name of the first model node in `loc`; empty if there is none.
llvm::StringRef nodeName(mlir::Location loc);

/// `op` as remarks call it: `node "x"`, or `'tenon.add'` if no node made it.
std::string spellNode(mlir::Operation *op);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_REMARKS_H
