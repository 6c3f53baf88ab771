// Tensors in files: .npy, .npz and ONNX's .pb go in, tensors come out; outputs
// go the other way.
#ifndef TENON_TOOLS_TENON_TENSORFILE_H
#define TENON_TOOLS_TENON_TENSORFILE_H

#include "tools/tenon/Talk.h"
#include "tools/tenon/Tensor.h"

namespace tenon::cli {

/// Reads all tensors of the file `path`, whose name ends in .npy, .npz or .pb.
/// Tensors without a name of their own have none.
Status readTensorFile(Talk &talk, const std::string &path,
                      std::vector<Tensor> &tensors);

/// Reads one tensor: of an archive the one called `name`, or its only one.
Status readOneTensor(Talk &talk, const std::string &path,
                     const std::string &name, Tensor &tensor);

/// The files of `directory` whose names start with `prefix` and end with one of
/// our extensions, numbers in order: input_2 before input_10.
Status listTensorFiles(Talk &talk, const std::string &directory,
                       const std::string &prefix,
                       std::vector<std::string> &paths);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TENSORFILE_H
