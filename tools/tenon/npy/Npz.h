// NumPy's .npz archives: ZIP files of .npy arrays, stored or deflated.
#ifndef TENON_TOOLS_TENON_NPY_NPZ_H
#define TENON_TOOLS_TENON_NPY_NPZ_H

#include "tools/tenon/npy/Npy.h"

#include <functional>

namespace tenon::cli {

/// Asked for each array before memory is taken for it: its name, type and
/// extents, and the bytes that reading it takes. False ends the reading.
using ArrayGate = std::function<bool(const Tensor &next, uint64_t bytes)>;

/// Reads every array of an archive, in its order, named by its entry without
/// ".npy". Sizes and checksums must agree with the directory of the archive;
/// two entries of one name are refused. An entry is unpacked no further than
/// the header of its array says.
FormatError readNpz(std::string_view file, std::vector<Tensor> &tensors,
                    const ArrayGate &gate = {});

/// The bytes of an archive of `tensors`, stored, the same for the same tensors.
/// At most 4 GiB; empty where they are more.
std::string writeNpz(const std::vector<Tensor> &tensors);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_NPY_NPZ_H
