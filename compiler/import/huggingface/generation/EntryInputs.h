// The inputs of a checkpoint's entries, with the sizes that the user's options
// leave to them.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENTRYINPUTS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENTRYINPUTS_H

#include "compiler/import/InputDims.h"
#include "compiler/import/ModelImporter.h"
#include "compiler/import/huggingface/models/EncoderDecoder.h"

namespace tenon::hf {

class EntryInputs {
public:
  explicit EntryInputs(const Config &config);

  /// Binds the sizes of all inputs. Returns false after an error, which `error`
  /// has received.
  bool bind(mlir::Builder &builder, const std::vector<DimOption> &dims,
            const std::vector<ShapeOption> &shapes,
            const DimErrorHandler &error);

  /// `tenon.ranges` of the module.
  DimRangesAttr ranges() const { return bound.ranges; }
  /// The longest sequence that input `ids` can have.
  int64_t longest() const { return longestIds; }

  /// The input `name` as an argument of an entry.
  EntryArgument argument(mlir::Builder &builder, llvm::StringRef name) const;
  /// What the configuration says about the encoder; empty without one.
  const EncoderInputs &encoder() const { return encoderInputs; }

private:
  void declare(const EncoderInput &input);
  bool takeBounds(std::vector<DimOption> &dims, const DimErrorHandler &error);

  std::vector<DeclaredInput> inputs;
  llvm::SmallVector<bool> isFloat; ///< by input
  std::vector<EncoderInput::Extent> bounds;
  EncoderInputs encoderInputs = {};
  BoundDims bound;
  int64_t longestIds = 0;
};

/// The values of the encoder's inputs among the arguments of an entry, in their
/// order. `first` is the number of the first one.
std::vector<EncoderArgument>
encoderArguments(const std::vector<EncoderInput> &inputs,
                 mlir::ValueRange arguments, size_t first);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_ENTRYINPUTS_H
