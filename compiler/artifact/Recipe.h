// The ops that compute one weight from others, run on the host: a region goes
// in, the bytes it yields come out, equal to those the kernels would compute.
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

/// Bytes of a dense tensor, and what keeps them alive where it is not a file.
struct HostBytes {
  llvm::StringRef bytes;
  std::shared_ptr<std::vector<char>> owner;
};

/// Recipes whose results a recipe needs, one after another: no pass nests them
/// nearly as deep.
constexpr int maxRecipeDepth = 64;

/// Whether recipes may hold `op`; a pass that makes recipes asks first.
bool canEvaluate(mlir::Operation *op);

/// Runs `recipe`, and adds to `loss` what its quantization loses. `read` gives
/// the bytes of a weight by its name, or false after it has reported why not.
/// On failure `wrong` says what the recipe holds that it must not; empty where
/// `read` failed.
bool runRecipe(mlir::Region &recipe,
               llvm::function_ref<bool(llvm::StringRef, HostBytes &)> read,
               HostBytes &result, QuantizationLoss &loss, std::string &wrong);

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_RECIPE_H
