// Tensors kept one to a file, as ONNX's conformance data keeps inputs and
// outputs (input_0.pb).
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXTENSORFILE_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXTENSORFILE_H

#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/report/Diagnostic.h"

#include <optional>
#include <string>

namespace tenon {

/// Reads the serialized TensorProto at `path`; the payload is inline bytes, or
/// strings. On failure nothing, after an error. A file that holds no single
/// tensor (conformance data also keeps sequences and optionals) is Unsupported.
std::optional<onnx::Tensor> readOnnxTensorFile(const std::string &path,
                                               const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXTENSORFILE_H
