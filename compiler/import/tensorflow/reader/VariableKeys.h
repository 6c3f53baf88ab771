// Which key of the checkpoint each variable was saved under. Names do not tell:
// Keras saves one variable twice and two under one name. The graph's own
// subgraph that restores them does.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_VARIABLEKEYS_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_VARIABLEKEYS_H

#include "compiler/import/tensorflow/reader/TfModel.h"

namespace tenon::tf {

/// Variable nodes of the main graph to keys, read from what `restoreOp` would
/// run: assignments of results of RestoreV2, in the graph or in the function
/// that it calls.
std::map<std::string, std::string>
findVariableKeys(const Model &model, const std::string &restoreOp);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_VARIABLEKEYS_H
