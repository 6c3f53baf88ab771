// The inputs of a run: what --input, --inputs and --dim say becomes one tensor
// for each input of the function.
#ifndef TENON_TOOLS_TENON_INPUTVALUES_H
#define TENON_TOOLS_TENON_INPUTVALUES_H

#include "tools/tenon/Tensor.h"
#include "tools/tenon/Verbs.h"

#include <map>

namespace tenon::cli {

/// What a run takes, independent of who computes it: names and types.
struct InputSignature {
  std::string name;
  int32_t dtype = TENON_F32;
  struct Dim {
    int64_t size = -1; ///< -1: dynamic
    std::string name;  ///< may be empty
  };
  std::vector<Dim> dims;
};

/// The inputs of `function`.
std::vector<InputSignature> signatureOf(const tenon_function_desc &function);

/// Where the flags leave an input open: an error, or values drawn from seed 1.
enum class OpenInputs { Refuse, Random };

/// Reads the values of all `inputs`. `sizes` are those of --dim; an extent that
/// data of another input fixes is known too.
Status readInputs(Invocation &call, const std::vector<InputSignature> &inputs,
                  std::map<std::string, int64_t> sizes, OpenInputs open,
                  std::vector<Tensor> &values);

/// Splits "NAME=VALUE" where NAME is one of `names`; the longest that fits.
/// "NAME:0", as TensorFlow writes it, stands for NAME where nothing else has
/// that name. Without a name, the whole is the value.
std::pair<std::string, std::string>
splitName(const std::string &text, const std::vector<std::string> &names);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_INPUTVALUES_H
