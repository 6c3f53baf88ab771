// Values that leave the regions of scf ops: every path must yield one type, and
// extents computed inside a region become further results.
#ifndef TENON_COMPILER_IMPORT_GRAPH_BRANCHES_H
#define TENON_COMPILER_IMPORT_GRAPH_BRANCHES_H

#include "compiler/import/graph/GraphBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tenon {

/// `value` cast to `type`, which may have more dynamic extents.
mlir::Value castToGeneral(GraphBuilder &g, mlir::Value value,
                          mlir::RankedTensorType type);

/// True if `size` can be used outside `region`.
bool isOutside(Size size, mlir::Region &region);

/// The number of steps of a loop that carries tensors of the sizes `carried`:
/// zero if all tensors are empty, because a step changes nothing then.
/// Otherwise a loop could run 2^62 steps over empty tensors.
Size stepsOver(GraphBuilder &g, Size steps, llvm::ArrayRef<Sizes> carried);

/// Result number `result` differs between the branches: in its element type if
/// isError, else in its rank.
struct BranchMismatch {
  size_t result;
  bool isError;
};

/// The rank that the users of result `i` expect; null if unknown.
using RankOfResult = llvm::function_ref<std::optional<int64_t>(size_t i)>;

/// Terminates the two regions of `shell`, an scf.if without results that
/// computes `yes` and `no`, and moves them into a new scf.if with results. The
/// caller must erase the shell. Returns the first mismatch, or null.
///
/// The extents of the branches may differ. If the ranks differ, the result
/// takes the rank of the branch that is not known to be empty, or else the rank
/// that its users expect. The other branch yields an empty tensor of that rank.
/// If its value has an element at run time, the run ends with an error at
/// `site`.
std::optional<BranchMismatch>
joinBranches(GraphBuilder &g, mlir::scf::IfOp shell, llvm::StringRef site,
             llvm::ArrayRef<mlir::Value> yes, llvm::ArrayRef<mlir::Value> no,
             RankOfResult rankOfResult,
             llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_BRANCHES_H
