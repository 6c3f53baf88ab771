// Signatures of the operators of ONNX's default domain, by opset version:
// counts of operands and attributes, not types.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXOPTABLE_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXOPTABLE_H

#include <cstdint>
#include <string_view>

namespace tenon::onnx {

/// The newest opset of the table; later ones do not exist as far as we know.
constexpr int64_t newestKnownOpset = 28;
/// Up to this one every version of the operators we have is implemented; of
/// later versions those that the registry lists.
constexpr int64_t newestWholeOpset = 22;

struct OpSignature {
  const char *name;
  int since;
  int minInputs;
  int maxInputs; ///< -1: any number
  int minOutputs;
  int maxOutputs; ///< -1: any number
  bool deprecated;
  const char *attributes; ///< `axis:2! keepdims:2`: AttributeKind numbers, !
                          ///< when required
};

/// The signature of `op` in `opset`, or null when there is no such op or the
/// opset is newer than the table.
const OpSignature *findOpSignature(std::string_view op, int64_t opset);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXOPTABLE_H
