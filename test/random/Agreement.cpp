// The oracle's error bounds are the only tolerance.
#include "test/random/Agreement.h"

#include "dialects/tenon/TenonDialect.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace tenon {

llvm::Expected<std::vector<HostTensor>> boundedOutputs(const RandomGraph &graph,
                                                       bool bf16Products) {
  OwningOpRef<ModuleOp> module = ModuleOp(*graph.module).clone();
  llvm::SmallVector<CompositeOp> composites;
  module->walk([&](CompositeOp op) { composites.push_back(op); });
  for (CompositeOp op : composites) {
    OpBuilder builder(op);
    op->replaceAllUsesWith(op.decompose(builder));
    op->erase();
  }
  OracleOptions options;
  options.bounds = true;
  options.bf16Products = bf16Products;
  return graph.evaluateRuns(module->lookupSymbol<func::FuncOp>("main"),
                            options);
}

static bool agrees(double ideal, double actual, double allowed) {
  if (std::isnan(ideal) || std::isnan(actual))
    return std::isnan(ideal) == std::isnan(actual);
  return ideal == actual || std::fabs(ideal - actual) <= allowed;
}

std::string disagreement(const HostTensor &expected, const HostTensor &actual) {
  if (expected.shape != actual.shape || expected.element != actual.element) {
    std::string text;
    llvm::raw_string_ostream out(text);
    out << "expected "
        << RankedTensorType::get(expected.shape, expected.element) << ", got "
        << RankedTensorType::get(actual.shape, actual.element);
    return text;
  }
  for (int64_t i = 0, n = expected.count(); i < n; ++i) {
    if (!expected.isFloat()) {
      if (expected.ints[i] != actual.ints[i])
        return llvm::formatv("element {0}: expected {1}, got {2}", i,
                             expected.ints[i], actual.ints[i]);
      continue;
    }
    double allowed = expected.errorAt(i);
    if (!agrees(expected.floats[i], actual.floats[i], allowed))
      return llvm::formatv(
          "element {0}: expected {1:e9} within {2:e2}, got {3:e9}", i,
          expected.floats[i], allowed, actual.floats[i]);
  }
  return "";
}

} // namespace tenon
