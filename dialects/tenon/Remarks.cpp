// The names of categories and of what remarks are about.
#include "dialects/tenon/Remarks.h"

#include "mlir/IR/Location.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tenon {

llvm::ArrayRef<llvm::StringLiteral> remarkCategories() {
  static constexpr llvm::StringLiteral names[] = {
      "attention", "fusion",    "in-place", "kernels", "packing",
      "products",  "transfers", "variants", "weights"};
  return names;
}

Operation *mainOpOf(FusionOp fusion) {
  Operation *main = fusion.getYield().getOperand(0).getDefiningOp();
  for (Operation &op : fusion.getBlock())
    if (isa<DotGeneralOp, ConvolutionOp>(op))
      main = &op;
  return main;
}

/// The op whose location stands for `op`.
static Operation *placeOf(Operation *op) {
  auto fusion = dyn_cast<FusionOp>(op);
  Operation *main = fusion ? mainOpOf(fusion) : nullptr;
  return main ? main : op;
}

PassRemark detail::startRemark(Operation *op, RemarkCategory category,
                               llvm::StringLiteral name, bool isDone) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  auto options = mlir::remark::RemarkOpts::name(name)
                     .category(remarkCategories()[size_t(category)])
                     .function(function ? function.getName() : StringRef());
  Location place = placeOf(op)->getLoc();
  return isDone ? mlir::remark::passed(place, options)
                : mlir::remark::missed(place, options);
}

StringRef nodeName(Location loc) {
  StringRef found;
  loc->walk([&](Location part) {
    auto name = dyn_cast<NameLoc>(part);
    if (!name)
      return WalkResult::advance();
    found = name.getName().getValue();
    return WalkResult::interrupt();
  });
  return found;
}

std::string spellNode(Operation *op) {
  StringRef node = nodeName(placeOf(op)->getLoc());
  return node.empty() ? ("'" + op->getName().getStringRef() + "'").str()
                      : ("node \"" + node + "\"").str();
}

} // namespace tenon
