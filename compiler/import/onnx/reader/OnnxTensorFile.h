// Reads files with one tensor each, the form of inputs and outputs (input_0.pb)
// in ONNX's conformance data.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXTENSORFILE_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXTENSORFILE_H

#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/report/Diagnostic.h"

#include <optional>
#include <string>

namespace tenon {

/// Reads the serialized TensorProto at `path`; the payload is inline bytes or
/// strings. Null after an error. A file with a sequence or an optional, which
/// conformance data also has, is Unsupported.
std::optional<onnx::Tensor> readOnnxTensorFile(const std::string &path,
                                               const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXTENSORFILE_H
