// Values that leave regions of scf: they get one type on every path, and
// extents found inside become results of their own.
#ifndef TENON_COMPILER_IMPORT_GRAPH_BRANCHES_H
#define TENON_COMPILER_IMPORT_GRAPH_BRANCHES_H

#include "compiler/import/graph/GraphBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tenon {

/// `value` with the given type, extents unknown there forgotten.
mlir::Value forget(GraphBuilder &g, mlir::Value value,
                   mlir::RankedTensorType type);

/// Whether `size` can be used outside `region`.
bool isOutside(Size size, mlir::Region &region);

/// The steps of a loop that carries tensors of these sizes: none where no
/// tensor has an element, as no step would change anything then. Otherwise
/// 2^62 steps over nothing would be taken one by one.
Size stepsOver(GraphBuilder &g, Size steps, llvm::ArrayRef<Sizes> carried);

/// Result number `result` differs between the branches: in its element type
/// (isError), else in its rank.
struct BranchMismatch {
  size_t result;
  bool isError;
};

/// The rank that the users of result `i` expect; nothing where nobody says.
using RankOfResult = llvm::function_ref<std::optional<int64_t>(size_t i)>;

/// Ends the two branches of `shell`, an scf.if without results whose regions
/// hold what computes `yes` and `no`, and moves them into one with results. The
/// shell stays behind, to be erased.
///
/// Branches may differ in their extents. Where they differ in rank, one has the
/// rank of the result: the other branch is known to be empty, or users expect
/// the one rank. The other branch gives an empty tensor of that rank, and ends
/// the run with `site` when it has an element.
std::optional<BranchMismatch>
joinBranches(GraphBuilder &g, mlir::scf::IfOp shell, llvm::StringRef site,
             llvm::ArrayRef<mlir::Value> yes, llvm::ArrayRef<mlir::Value> no,
             RankOfResult rankOfResult,
             llvm::SmallVectorImpl<mlir::Value> &results);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_BRANCHES_H
