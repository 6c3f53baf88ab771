// The object graph of a SavedModel: functions by their path in Python's
// objects, their traced variants, and the saved value of each captured
// variable.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFOBJECTS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFOBJECTS_H

#include "compiler/import/tensorflow/reader/TfModel.h"
#include "compiler/import/tensorflow/reader/tensorflow.pb.h"

namespace tenon::tf {

/// Fills model.objects and model.concreteFunctions. model.functions and
/// model.bundle must be filled already. Throws ReadFailure and FileError.
void decodeObjects(const proto::SavedObjectGraph &graph, Model &model);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFOBJECTS_H
