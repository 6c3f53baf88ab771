// Parts of a model. A part is a prefix of tensor names, such as "h.0.attn": its
// weights are the tensors below it, and its name is the location of its ops.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_PART_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_PART_H

#include "compiler/import/graph/GraphBuilder.h"

#include "llvm/ADT/Twine.h"

#include <string>

namespace tenon::hf {

/// The tensors of a checkpoint as values of the function under construction.
class Parameters {
public:
  virtual ~Parameters() = default;

  /// The tensor `name` in the element type that it is stored in. If it is
  /// missing or has another shape, this is recorded as an error, and the result
  /// stands in for it.
  virtual mlir::Value get(llvm::StringRef name,
                          llvm::ArrayRef<int64_t> shape) = 0;
  virtual bool has(llvm::StringRef name) const = 0;
  /// Records that the tensor `name` may be there and is not needed.
  virtual void ignore(llvm::StringRef name) = 0;
};

class Part {
public:
  Part(GraphBuilder &g, Parameters &parameters, std::string name = "")
      : g(g), parameters(parameters), name(std::move(name)) {}

  /// The part `child` of this one: a word, or the number of a layer.
  Part operator[](const llvm::Twine &child) const {
    return Part(g, parameters, pathOf(child));
  }
  Part operator[](int64_t layer) const { return (*this)[llvm::Twine(layer)]; }

  /// The tensor `leaf` of this part in f32.
  mlir::Value weight(llvm::StringRef leaf, llvm::ArrayRef<int64_t> shape) const;
  /// The same in its stored type.
  mlir::Value stored(llvm::StringRef leaf, llvm::ArrayRef<int64_t> shape) const;
  bool has(llvm::StringRef leaf) const { return parameters.has(pathOf(leaf)); }
  void ignore(llvm::StringRef leaf) const { parameters.ignore(pathOf(leaf)); }

  /// The first of `prefixes` below this part that has the tensor `leaf`; the
  /// first one if none has it. Some writers leave a prefix out.
  Part prefixWith(llvm::ArrayRef<llvm::StringRef> prefixes,
                  llvm::StringRef leaf) const;

  /// The ops that follow have this part's name as location.
  void enter() const;

  GraphBuilder &g;

private:
  std::string pathOf(const llvm::Twine &child) const;

  Parameters &parameters;
  std::string name;
};

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_PART_H
