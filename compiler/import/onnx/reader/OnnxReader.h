// The door of the ONNX reader: bytes nobody vouches for go in, a checked model
// comes out, or diagnostics and nothing. Opens no file outside the model's
// folder, needs memory for the structure but not for the weights, never throws.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXREADER_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXREADER_H

#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/report/Diagnostic.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace tenon {

/// Reads the model at `path`. On failure at least one error was reported (its
/// status is the class of the failure) and the result is null. Warnings may be
/// reported on success.
std::unique_ptr<onnx::Model> readOnnx(const std::string &path,
                                      const DiagnosticHandler &report);

/// The same for a model in memory. External data is looked for in
/// `baseDirectory`; when that is empty such data is refused. `name` stands in
/// messages. The bytes may go away afterwards: all payloads inside them are
/// copied.
std::unique_ptr<onnx::Model> readOnnx(std::span<const std::byte> bytes,
                                      const std::string &name,
                                      const std::string &baseDirectory,
                                      const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXREADER_H
