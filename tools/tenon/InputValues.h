// The inputs of a run: reads --input, --inputs and --dim into one tensor for
// each input of the function.
#ifndef TENON_TOOLS_TENON_INPUTVALUES_H
#define TENON_TOOLS_TENON_INPUTVALUES_H

#include "tools/tenon/Tensor.h"
#include "tools/tenon/Verbs.h"

#include <map>

namespace tenon::cli {

/// An input of a compiled function: its name and type.
struct InputSignature {
  std::string name;
  int32_t dtype = TENON_F32;
  struct Dim {
    int64_t size = -1; ///< -1: dynamic
    std::string name;  ///< may be empty
  };
  std::vector<Dim> dims;
  const tenon_tensor_desc *desc; ///< its default and range
};

/// The signature of each input of `function`.
std::vector<InputSignature> signatureOf(const tenon_function_desc &function);

/// The treatment of an input that no flag gives and that has no default: report
/// an error, or fill it with random values from seed 1.
enum class OpenInputs { Refuse, Random };

/// Reads the values of all `inputs`. An optional input that no flag names has
/// its default, also beside a fill of all inputs. Extents come from `sizes`
/// (--dim) and from the data of other inputs.
Status readInputs(Invocation &call, const std::vector<InputSignature> &inputs,
                  std::map<std::string, int64_t> sizes, OpenInputs open,
                  std::vector<Tensor> &values);

/// Splits "NAME=VALUE" at the longest NAME in `names`. TensorFlow's "NAME:0"
/// stands for NAME unless another name equals it. Without a known name the
/// whole text is the value.
std::pair<std::string, std::string>
splitName(const std::string &text, const std::vector<std::string> &names);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_INPUTVALUES_H
