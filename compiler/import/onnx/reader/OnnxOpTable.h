// The signatures of the operators of ONNX's default domain, by opset version:
// operand counts and attributes, no types.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXOPTABLE_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXOPTABLE_H

#include <cstdint>
#include <string_view>

namespace tenon::onnx {

/// The newest opset of the table. Later opsets are unknown to the reader.
constexpr int64_t newestKnownOpset = 28;
/// Up to this opset every version of each supported operator is implemented.
/// Later versions are supported only if the registry lists them.
constexpr int64_t newestWholeOpset = 22;

struct OpSignature {
  const char *name;
  int since;
  int minInputs;
  int maxInputs; ///< -1: any number
  int minOutputs;
  int maxOutputs; ///< -1: any number
  bool deprecated;
  const char *attributes; ///< `axis:2! keepdims:2`: AttributeKind numbers; !
                          ///< means required
};

/// The signature of `op` in `opset`. Null if there is no such op or the opset
/// is newer than the table.
const OpSignature *findOpSignature(std::string_view op, int64_t opset);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXOPTABLE_H
