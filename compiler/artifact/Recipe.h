// Runs a recipe on the host: the ops that compute one weight from others. The
// bytes it yields equal those the kernels would compute.
#ifndef TENON_COMPILER_ARTIFACT_RECIPE_H
#define TENON_COMPILER_ARTIFACT_RECIPE_H

#include "compiler/report/QuantizationReport.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon {

/// Bytes of a dense tensor, and the buffer that owns them unless they are in a
/// file.
struct HostBytes {
  llvm::StringRef bytes;
  std::shared_ptr<std::vector<char>> owner;
};

/// The deepest nesting of recipes that read the results of other recipes. No
/// pass nests them nearly as deep.
constexpr int maxRecipeDepth = 64;

/// True if recipes may hold `op`; a pass that makes recipes must ask.
bool canEvaluate(mlir::Operation *op);

/// Runs `recipe`, and adds the errors of its quantization to `loss`. `read`
/// gives the bytes of a weight by name; it returns false after it has reported
/// an error. On failure returns false; `wrong` then names the op that recipes
/// must not hold, or is empty if `read` failed.
bool runRecipe(mlir::Region &recipe,
               llvm::function_ref<bool(llvm::StringRef, HostBytes &)> read,
               HostBytes &result, QuantizationLoss &loss, std::string &wrong);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_RECIPE_H
