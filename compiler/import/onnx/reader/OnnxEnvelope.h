// The schema of ONNX's messages for the envelope check: the known fields, the
// payloads and the limits.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXENVELOPE_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXENVELOPE_H

#include "compiler/wire/Envelope.h"

namespace tenon::onnx {

extern const wire::MessageSchema modelSchema;
extern const wire::MessageSchema tensorSchema;

/// The field numbers of TensorProto's payloads, as in PayloadRecord::field.
enum PayloadField : uint32_t {
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11
};

/// The most nodes of a model after inlining all local functions: a hundred
/// times the largest exports, and still compiled in a minute.
constexpr uint64_t maxNodes = uint64_t(1) << 18;
/// The most inputs of a graph without its initializers, and the most outputs.
/// Each becomes an argument of one function.
constexpr uint64_t maxGraphValues = 1024;
constexpr uint64_t maxRank = 64;
constexpr unsigned maxGraphNesting = 32;

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXENVELOPE_H
