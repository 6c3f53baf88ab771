// The ONNX reader. Input: untrusted bytes. Output: a checked model, or null and
// diagnostics. It opens no file outside the model's folder, needs memory for
// the structure but not for the weights, and never throws.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXREADER_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXREADER_H

#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/report/Diagnostic.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tenon {

/// Reads the model at `path`. On failure returns null and has reported at least
/// one error, whose status is the class of the failure. Warnings may be
/// reported on success.
std::unique_ptr<onnx::Model> readOnnx(const std::string &path,
                                      const DiagnosticHandler &report);

/// Reads a model from memory. External data is read from `baseDirectory`, and
/// refused if that is empty. `name` is the model's name in messages. The result
/// does not refer to `bytes`: all payloads inside are copied.
std::unique_ptr<onnx::Model> readOnnx(std::span<const std::byte> bytes,
                                      const std::string &name,
                                      const std::string &baseDirectory,
                                      const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXREADER_H
