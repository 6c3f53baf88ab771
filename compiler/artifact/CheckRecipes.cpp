// Passes build only valid recipes; a recipe in a text file may hold any op.
#include "compiler/artifact/CheckRecipes.h"

#include "compiler/artifact/Recipe.h"
#include "dialects/tenon/TenonDialect.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tenon {

LogicalResult checkRecipes(ModuleOp module) {
  bool failed = false;
  llvm::StringMap<llvm::StringSet<>> needed;
  for (auto weight : module.getOps<WeightOp>()) {
    llvm::StringSet<> &names = needed[weight.getSymName()];
    weight.getRecipe().walk([&](Operation *op) {
      if (auto get = dyn_cast<GetWeightOp>(op)) {
        names.insert(get.getWeight());
      } else if (!isa<YieldOp>(op) && !canEvaluate(op)) {
        op->emitError("a weight's recipe cannot hold '")
            << op->getName() << "': compute it in the function";
        failed = true;
      }
    });
  }
  // Each round computes the recipes that need only computed weights.
  llvm::StringSet<> done;
  for (int depth = 0; depth <= maxRecipeDepth; ++depth) {
    SmallVector<StringRef> next;
    for (auto &[name, names] : needed)
      if (!done.contains(name) && llvm::all_of(names.keys(), [&](StringRef n) {
            return done.contains(n);
          }))
        next.push_back(name);
    if (next.empty())
      break;
    done.insert_range(next);
  }
  for (auto weight : module.getOps<WeightOp>())
    if (!done.contains(weight.getSymName())) {
      weight.emitError("the recipe of weight '")
          << weight.getSymName()
          << "' needs its own result, or recipes more than " << maxRecipeDepth
          << " deep";
      failed = true;
    }
  return failure(failed);
}

} // namespace tenon
