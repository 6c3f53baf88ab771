// Source files are mapped and every range is held against the file as it is
// now; what a recipe reads is kept no longer than the recipe runs.
#include "compiler/artifact/WeightEvaluator.h"

#include "compiler/artifact/Recipe.h"
#include "dialects/tenon/TenonDialect.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tenon {

WeightEvaluator::WeightEvaluator(ModuleOp weights, DiagnosticHandler report)
    : weights(weights), report(std::move(report)) {}

WeightEvaluator::~WeightEvaluator() = default;

bool WeightEvaluator::fail(Status kind, const std::string &file,
                           std::string text) {
  Diagnostic diagnostic;
  diagnostic.file = file;
  diagnostic.text = std::move(text);
  diagnostic.status = failure = kind;
  report(diagnostic);
  return false;
}

bool WeightEvaluator::source(WeightOp weight, llvm::StringRef &bytes) {
  WeightSourceAttr range = *weight.getSource();
  std::string path = range.getFile().str();
  std::unique_ptr<llvm::MemoryBuffer> &file = files[path];
  if (!file) {
    auto opened = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!opened)
      return fail(Status::Io, path,
                  "cannot read: " + opened.getError().message());
    file = std::move(*opened);
  }
  uint64_t offset = range.getOffset(), length = range.getLength();
  if (offset > file->getBufferSize() || length > file->getBufferSize() - offset)
    return fail(Status::Io, path,
                "the file changed while it was compiled: expected " +
                    std::to_string(length) + " bytes at offset " +
                    std::to_string(offset) + ", got a file of " +
                    std::to_string(file->getBufferSize()) + " bytes");
  bytes = file->getBuffer().substr(offset, length);
  return true;
}

bool WeightEvaluator::evaluate(WeightOp weight, llvm::StringRef &bytes) {
  held = {};
  bool done = evaluate(weight, held, 0);
  bytes = held.bytes;
  return done;
}

void WeightEvaluator::release() {
  held = {};
  for (auto &file : files)
    if (file.second)
      file.second->dontNeedIfMmap();
}

bool WeightEvaluator::evaluate(WeightOp weight, HostBytes &value, int depth) {
  if (weight.getSource())
    return source(weight, value.bytes);
  std::string name = weight.getSymName().str();
  // No pass nests recipes nearly as deep.
  if (depth > 64)
    return fail(Status::Internal, "",
                "internal error: the recipe of weight '" + name +
                    "' needs itself");
  auto read = [&](StringRef operand, HostBytes &bytes) {
    auto other = this->weights.lookupSymbol<WeightOp>(operand);
    return other ? evaluate(other, bytes, depth + 1)
                 : fail(Status::Internal, "",
                        "internal error: there is no weight '" + operand.str() +
                            "'");
  };
  std::string wrong;
  if (runRecipe(weight.getRecipe(), read, value, wrong))
    return true;
  return wrong.empty() ? false
                       : fail(Status::Internal, "",
                              "internal error: the recipe of weight '" + name +
                                  "' cannot be evaluated: " + wrong);
}

bool writeBlob(ModuleOp weights, uint64_t total, WeightEvaluator &evaluator,
               llvm::function_ref<bool(llvm::StringRef)> sink) {
  SmallVector<std::tuple<uint64_t, size_t, WeightOp>> placed;
  for (auto weight : weights.getOps<WeightOp>())
    if (auto offset = weight->getAttrOfType<IntegerAttr>("offset"))
      placed.push_back({uint64_t(offset.getInt()), placed.size(), weight});
  llvm::sort(placed, [](const auto &a, const auto &b) {
    return std::tie(std::get<0>(a), std::get<1>(a)) <
           std::tie(std::get<0>(b), std::get<1>(b));
  });
  // Pages of the sources that were read are given back piece by piece.
  constexpr uint64_t pieceBytes = uint64_t(64) << 20;
  uint64_t at = 0, released = 0;
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
  for (auto [offset, number, weight] : placed) {
    llvm::StringRef bytes;
    if (!zerosTo(offset) || !evaluator.evaluate(weight, bytes) || !sink(bytes))
      return false;
    at += bytes.size();
    if (at - released >= pieceBytes) {
      evaluator.release();
      released = at;
    }
  }
  return zerosTo(total);
}

} // namespace tenon
