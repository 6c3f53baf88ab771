// The schema of ONNX's messages for the envelope check: which fields exist,
// what is a payload, where the limits are.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXENVELOPE_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXENVELOPE_H

#include "compiler/wire/Envelope.h"

namespace tenon::onnx {

extern const wire::MessageSchema modelSchema;
extern const wire::MessageSchema tensorSchema;

/// Field numbers of TensorProto's payloads, as PayloadRecord::field has them.
enum PayloadField : uint32_t {
  FloatData = 4,
  Int32Data = 5,
  StringData = 6,
  Int64Data = 7,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11
};

/// Nodes of a model with all calls of local functions inlined. The largest
/// exports have a hundredth of it; so many still compile in a minute.
constexpr uint64_t maxNodes = uint64_t(1) << 18;
/// Inputs of a graph, initializers aside, and as many outputs. Each becomes an
/// argument of one function.
constexpr uint64_t maxGraphValues = 1024;
constexpr uint64_t maxRank = 64;
constexpr unsigned maxGraphNesting = 32;

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXENVELOPE_H
