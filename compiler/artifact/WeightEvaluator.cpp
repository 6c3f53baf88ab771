// Source files are read, not mapped: a file that shrinks meanwhile causes an
// error and not a signal. Weights that a recipe reads are freed when it is
// done.
#include "compiler/artifact/WeightEvaluator.h"

#include "compiler/artifact/ModelFacts.h"
#include "compiler/artifact/Recipe.h"
#include "compiler/artifact/WeightFile.h"
#include "dialects/tenon/Quantization.h"
#include "dialects/tenon/TenonDialect.h"

using namespace mlir;

namespace tenon {

/// The bytes read at once from a weight that is copied unchanged.
constexpr uint64_t pieceBytes = uint64_t(4) << 20;

WeightEvaluator::WeightEvaluator(ModuleOp weights, OpenFiles files,
                                 DiagnosticHandler report)
    : weights(weights), files(std::move(files)), report(std::move(report)) {}

bool WeightEvaluator::fail(Status kind, const std::string &file,
                           std::string text) {
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.text = std::move(text);
  diagnostic.status = failure = kind;
  report(diagnostic);
  return false;
}

bool WeightEvaluator::read(WeightOp weight, uint64_t offset, uint64_t size,
                           std::vector<char> &bytes) {
  WeightSourceAttr range = *weight.getSource();
  std::string path = range.getFile().str();
  std::shared_ptr<const OpenFile> &file = files[path];
  FileError error;
  if (!file && !(file = OpenFile::tryOpen(path, error)))
    return fail(error.status, path, error.text);
  bytes.resize(size);
  return file->read(range.getOffset() + offset, bytes.data(), size) ||
         fail(Status::Io, path,
              "cannot read: the file changed while it was compiled; expected " +
                  std::to_string(range.getLength()) + " bytes at offset " +
                  std::to_string(range.getOffset()));
}

bool WeightEvaluator::evaluate(WeightOp weight,
                               llvm::function_ref<bool(llvm::StringRef)> sink) {
  if (!weight.getSource()) {
    HostBytes value;
    QuantizationLoss loss;
    return evaluate(weight, value, loss, 0) && count(weight, loss) &&
           sink(value.bytes);
  }
  count(weight, {});
  uint64_t length = (*weight.getSource()).getLength();
  std::vector<char> piece;
  for (uint64_t at = 0; at < length; at += piece.size())
    if (!read(weight, at, std::min(length - at, pieceBytes), piece) ||
        !sink(llvm::StringRef(piece.data(), piece.size())))
      return false;
  return true;
}

/// The sources of `weight`, as text for people.
static std::string sourcesOf(WeightOp weight) {
  std::string names;
  weight.walk([&](GetWeightOp get) {
    names += (names.empty() ? "" : ", ") + get.getWeight().str();
  });
  return names;
}

bool WeightEvaluator::count(WeightOp weight, const QuantizationLoss &loss) {
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t bytes =
      type.getNumElements() * elementBytes(dtypeOf(type.getElementType()));
  Operation *last = nullptr;
  if (!weight.getSource())
    last = weight.getRecipe()
               .front()
               .getTerminator()
               ->getOperand(0)
               .getDefiningOp();
  counted.bytes += bytes;
  if (isa_and_present<GroupScalesOp>(last))
    return true;
  // Vectors, such as biases, are not counted as weight matrices.
  counted.weights += type.getRank() > 1;
  if (loss.elements == 0) {
    counted.bytesBefore += bytes;
    return true;
  }
  counted.bytesBefore += 4 * loss.elements;
  std::string names = sourcesOf(weight);
  if (!loss.finite)
    return fail(Status::Unsupported, "",
                "weight '" + names +
                    "' cannot be stored in fewer bits: expected finite "
                    "elements in the range of the format, got others; compile "
                    "with --weight-format=f32");
  counted.add(names, loss);
  return true;
}

bool WeightEvaluator::checkFiles() {
  for (const auto &[path, file] : files)
    if (file && !file->unchanged())
      return fail(Status::Io, path, "the file changed while it was compiled");
  return true;
}

bool WeightEvaluator::evaluate(WeightOp weight, HostBytes &value,
                               QuantizationLoss &loss, int depth) {
  if (weight.getSource()) {
    value.owner = std::make_shared<std::vector<char>>();
    bool done =
        read(weight, 0, (*weight.getSource()).getLength(), *value.owner);
    value.bytes = llvm::StringRef(value.owner->data(), value.owner->size());
    return done;
  }
  std::string name = weight.getSymName().str();
  if (depth > maxRecipeDepth)
    return fail(Status::Internal, "",
                "internal error: the recipe of weight '" + name +
                    "' needs itself");
  auto read = [&](StringRef operand, HostBytes &bytes) {
    auto other = this->weights.lookupSymbol<WeightOp>(operand);
    return other ? evaluate(other, bytes, loss, depth + 1)
                 : fail(Status::Internal, "",
                        "internal error: there is no weight '" + operand.str() +
                            "'");
  };
  std::string wrong;
  if (runRecipe(weight.getRecipe(), read, value, loss, wrong))
    return true;
  return wrong.empty() ? false
                       : fail(Status::Internal, "",
                              "internal error: the recipe of weight '" + name +
                                  "' cannot be evaluated: " + wrong);
}

bool writeBlob(ModuleOp weights, uint64_t total, WeightEvaluator &evaluator,
               llvm::function_ref<bool(llvm::StringRef)> sink) {
  uint64_t at = 0;
  auto zerosTo = [&](uint64_t end) {
    static const std::string zeros(4096, '\0');
    while (at < end) {
      llvm::StringRef piece = llvm::StringRef(zeros).take_front(end - at);
      if (!sink(piece))
        return false;
      at += piece.size();
    }
    return true;
  };
  auto counted = [&](llvm::StringRef bytes) {
    at += bytes.size();
    return sink(bytes);
  };
  for (auto [offset, weight] : placedWeights(weights))
    if (!zerosTo(offset) || !evaluator.evaluate(weight, counted))
      return false;
  return zerosTo(total) && evaluator.checkFiles();
}

} // namespace tenon
