// The table of options: name, kind, bounds and default of each.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_OPTIONTABLE_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_OPTIONTABLE_H

#include "compiler/import/huggingface/generation/Options.h"

#include <variant>

namespace tenon::hf {

enum class OptionKind {
  Flag,    ///< i1
  Integer, ///< i64
  Number,  ///< f32
  Tokens,  ///< i64 [tokens]
  Words,   ///< i64 [words, tokens], with -1 before the first token of a word
  Biases,  ///< f32 [words]
};

using OptionDefault =
    std::variant<bool, int64_t, double, std::vector<int64_t>,
                 std::vector<std::vector<int64_t>>, std::vector<float>>;

struct OptionRow {
  Option option;
  llvm::StringLiteral name; ///< of the input
  OptionKind kind;
  double least, greatest; ///< of the elements; not for flags
  OptionDefault (*initial)(const GenerationConfig &defaults);
  llvm::StringLiteral extent = "", innerExtent = ""; ///< names of a list's
};

/// One row for each option, in the order of `Option`.
llvm::ArrayRef<OptionRow> optionTable();
/// The rows of the options that all models have.
llvm::ArrayRef<OptionRow> commonOptions();

inline const OptionRow &rowOf(Option option) {
  return optionTable()[size_t(option)];
}

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_OPTIONTABLE_H
