// The TensorFlow reader. Input: the folder of a SavedModel, or a frozen graph.
// Output: checked structures, or null and a diagnostic.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFREADER_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFREADER_H

#include "compiler/import/tensorflow/reader/TfModel.h"
#include "compiler/report/Diagnostic.h"

namespace tenon {

/// True if `path` is a folder, which must be a SavedModel then.
bool isFolder(const std::string &path);

/// True if the file looks like a serialized GraphDef: its first field is a node
/// or a function library. ONNX models begin with other fields.
bool looksLikeGraphDef(const std::string &path);

/// Reads a folder with saved_model.pb in it, or a frozen GraphDef. `tags`
/// selects one of several graphs in a SavedModel by its tags, separated by
/// commas. Empty tags select the only graph, else the one of `serve`.
std::unique_ptr<tf::Model> readTensorFlow(const std::string &path,
                                          const std::string &tags,
                                          const DiagnosticHandler &report);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFREADER_H
