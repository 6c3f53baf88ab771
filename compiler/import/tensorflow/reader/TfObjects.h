// The object graph of a SavedModel: its functions by their place in Python's
// objects, their traced variants, and which saved value a captured variable
// has.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFOBJECTS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFOBJECTS_H

#include "compiler/import/tensorflow/reader/TfModel.h"
#include "compiler/import/tensorflow/reader/tensorflow.pb.h"

namespace tenon::tf {

/// Fills model.objects and model.concreteFunctions; the functions and the
/// bundle are there already. Throws ReadFailure and FileError.
void decodeObjects(const proto::SavedObjectGraph &graph, Model &model);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFOBJECTS_H
