// The TensorFlow reader: a SavedModel's folder or a frozen graph goes in,
// checked structures come out, or a diagnostic and nothing.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFREADER_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFREADER_H

#include "compiler/import/tensorflow/reader/TfModel.h"
#include "compiler/report/Diagnostic.h"

namespace tenon {

/// Whether `path` is a folder: a SavedModel then.
bool isFolder(const std::string &path);

/// Whether the file looks like a serialized GraphDef: its first field is a node
/// or a function library. ONNX models begin otherwise.
bool looksLikeGraphDef(const std::string &path);

/// Reads a folder with saved_model.pb in it, or a frozen GraphDef. Of several
/// graphs in a SavedModel the one whose tags are `tags` is taken (comma
/// separated; empty: the only one, or that of `serve`).
std::unique_ptr<tf::Model> readTensorFlow(const std::string &path,
                                          const std::string &tags,
                                          const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFREADER_H
