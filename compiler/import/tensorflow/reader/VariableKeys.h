// Finds the checkpoint key of each variable. Names are not sufficient: Keras
// saves one variable twice, and two under one name. So the keys are read from
// the subgraph that restores the variables.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_VARIABLEKEYS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_VARIABLEKEYS_H

#include "compiler/import/tensorflow/reader/TfModel.h"

namespace tenon::tf {

/// Maps the variable nodes of the main graph to keys. They come from the nodes
/// that `restoreOp` would run: assignments of results of RestoreV2, in the
/// graph or in the function that it calls.
std::map<std::string, std::string>
findVariableKeys(const Model &model, const std::string &restoreOp);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_VARIABLEKEYS_H
