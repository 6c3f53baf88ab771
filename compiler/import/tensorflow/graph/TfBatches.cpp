// Names the first extents of inputs, because TensorFlow writes dynamic extents
// without names. Usually the first extent of every input is the batch, but not
// always. So an entry with several such inputs is first imported with a
// different name for each first extent. Extents that this import requires to be
// equal, as in a sum or a concatenation, then get one name; others keep their
// own.
#include "compiler/import/tensorflow/graph/TfGraphImporter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace tenon::tf {

/// Collects the arguments whose first extent `size` is or may be, through
/// selects and products with constants. False if `size` depends on anything
/// else.
static bool collectBatches(Value size, SmallVectorImpl<unsigned> &arguments) {
  if (auto dim = size.getDefiningOp<tensor::DimOp>()) {
    auto argument = dyn_cast<BlockArgument>(dim.getSource());
    if (!argument || dim.getConstantIndex() != 0 ||
        !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return false;
    arguments.push_back(argument.getArgNumber());
    return true;
  }
  if (matchPattern(size, m_Constant()))
    return true;
  if (auto choice = size.getDefiningOp<arith::SelectOp>())
    return collectBatches(choice.getTrueValue(), arguments) &&
           collectBatches(choice.getFalseValue(), arguments);
  if (auto product = size.getDefiningOp<arith::MulIOp>())
    return matchPattern(product.getRhs(), m_Constant()) &&
           collectBatches(product.getLhs(), arguments);
  return false;
}

/// Groups the arguments whose first extents the graph requires to be equal, or
/// one.
static llvm::EquivalenceClasses<unsigned> groupEqualBatches(ModuleOp apart) {
  llvm::EquivalenceClasses<unsigned> equal;
  apart.walk([&](CheckSizeOp check) {
    SmallVector<unsigned> arguments;
    if (check.getLow() != check.getHigh() ||
        !collectBatches(check.getFound(), arguments) ||
        !collectBatches(check.getLow(), arguments))
      return;
    for (unsigned argument : arguments)
      equal.unionSets(arguments.front(), argument);
  });
  return equal;
}

OwningOpRef<ModuleOp> GraphImporter::importApart(const Entry &entry) {
  // The final import reports the errors of the graph.
  ScopedDiagnosticHandler silence(&context,
                                  [](mlir::Diagnostic &) { return success(); });
  CompileOptions apart = options;
  apart.dims.clear();
  DiagnosticHandler nobody = [](const tenon::Diagnostic &) {};
  GraphImporter importer(context, model, apart, checkSizes, nobody, written);
  importer.isOnly = isOnly;
  importer.begin("");
  if (!importer.buildEntry(entry))
    return {};
  OwningOpRef<ModuleOp> imported = importer.finish();
  if (!imported || failed(checkSizes(*imported)))
    return {};
  return imported;
}

void GraphImporter::nameBatches(const Entry &entry) {
  batchNames.clear();
  SmallVector<unsigned> open;
  for (auto [i, port] : llvm::enumerate(entry.inputs)) {
    const Shape &shape = port.shape;
    if (!shape.hasRank || (!shape.dims.empty() && shape.dims[0] == -1))
      open.push_back(i);
  }
  OwningOpRef<ModuleOp> apart;
  if (open.size() > 1)
    apart = importApart(entry);
  if (!apart) {
    for (unsigned i : open)
      batchNames[entry.inputs[i].name] = "batch";
    return;
  }
  llvm::EquivalenceClasses<unsigned> equal = groupEqualBatches(*apart);
  // The groups by their first input.
  std::map<unsigned, SmallVector<unsigned>> groups;
  for (unsigned i : open) {
    equal.insert(i);
    unsigned first = i;
    for (unsigned other : open)
      if (other < first && equal.isEquivalent(other, i))
        first = other;
    groups[first].push_back(i);
  }
  // The largest group is the batch; the first one if several are largest.
  unsigned batch = open.front();
  for (auto &[first, group] : groups)
    if (group.size() > groups[batch].size())
      batch = first;
  for (auto &[first, group] : groups)
    for (unsigned i : group)
      batchNames[entry.inputs[i].name] =
          first == batch ? "batch" : entry.inputs[first].name + "_dim0";
}

} // namespace tenon::tf
