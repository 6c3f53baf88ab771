// Tensors in files: .npy, .npz and ONNX's .pb go in, tensors come out; outputs
// go the other way.
#ifndef TENON_TOOLS_TENON_TENSORFILE_H
#define TENON_TOOLS_TENON_TENSORFILE_H

#include "tools/tenon/Tensor.h"
#include "tools/tenon/Verbs.h"

namespace tenon::cli {

/// Reads all tensors of the file `path`, whose name ends in .npy, .npz or .pb.
/// Tensors without a name of their own have none. Memory is taken only as far
/// as the call's budget goes.
Status readTensorFile(Invocation &call, const std::string &path,
                      std::vector<Tensor> &tensors);

/// Reads one tensor: of an archive the one called `name`, or its only one.
Status readOneTensor(Invocation &call, const std::string &path,
                     const std::string &name, Tensor &tensor);

/// The files of `directory` whose names start with `prefix` and end with one of
/// our extensions, numbers in order: input_2 before input_10.
Status listTensorFiles(Talk &talk, const std::string &directory,
                       const std::string &prefix,
                       std::vector<std::string> &paths);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TENSORFILE_H
