// Reads and writes NumPy's .npz archives: ZIP files of .npy arrays, stored or
// deflated.
#ifndef TENON_TOOLS_TENON_NPY_NPZ_H
#define TENON_TOOLS_TENON_NPY_NPZ_H

#include "tools/tenon/npy/Npy.h"

#include <functional>

namespace tenon::cli {

/// Called for each array before memory is allocated for it, with its name, type
/// and extents, and with the bytes that reading needs. Returns false to end the
/// reading.
using ArrayGate = std::function<bool(const Tensor &next, uint64_t bytes)>;

/// Reads every array of an archive, in order. A tensor's name is its entry's
/// name without ".npy". Sizes and checksums must agree with the archive's
/// directory; two entries of one name are refused. An entry is unpacked only as
/// far as the header of its array says.
FormatError readNpz(std::string_view file, std::vector<Tensor> &tensors,
                    const ArrayGate &gate = {});

/// The bytes of an archive of `tensors`, stored; equal tensors give equal
/// bytes. At most 4 GiB; empty if the archive would be larger.
std::string writeNpz(const std::vector<Tensor> &tensors);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_NPY_NPZ_H
