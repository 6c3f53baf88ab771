// Tensors in files: reads .npy, .npz and ONNX's .pb.
#ifndef TENON_TOOLS_TENON_TENSORFILE_H
#define TENON_TOOLS_TENON_TENSORFILE_H

#include "tools/tenon/Tensor.h"
#include "tools/tenon/Verbs.h"

namespace tenon::cli {

/// Reads all tensors of the file `path`, whose name ends in .npy, .npz or .pb.
/// A tensor's name is empty if the file has none. Refuses a file that needs
/// more memory than the call's budget.
Status readTensorFile(Invocation &call, const std::string &path,
                      std::vector<Tensor> &tensors);

/// Reads one tensor. From an archive: the one called `name`, or the only one.
Status readOneTensor(Invocation &call, const std::string &path,
                     const std::string &name, Tensor &tensor);

/// The files of `directory` whose names start with `prefix` and end with one of
/// these extensions, in order of their numbers: input_2 before input_10.
Status listTensorFiles(Talk &talk, const std::string &directory,
                       const std::string &prefix,
                       std::vector<std::string> &paths);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TENSORFILE_H
