// What the operators of ONNX's default domain take, by opset version: counts
// and attributes, not types.
#ifndef TENON_COMPILER_IMPORT_ONNX_ONNXOPTABLE_H
#define TENON_COMPILER_IMPORT_ONNX_ONNXOPTABLE_H

#include <cstdint>
#include <string_view>

namespace tenon::onnx {

constexpr int64_t newestKnownOpset = 17;

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

#endif // TENON_COMPILER_IMPORT_ONNX_ONNXOPTABLE_H
