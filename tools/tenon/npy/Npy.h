// Reads and writes NumPy's array files. The whole file is checked: an array
// that is shorter or longer than its header says is refused with the offset.
#ifndef TENON_TOOLS_TENON_NPY_NPY_H
#define TENON_TOOLS_TENON_NPY_NPY_H

#include "tools/tenon/Tensor.h"

#include <string>
#include <string_view>

namespace tenon::cli {

/// Why a file is refused: `offset 12: expected ...`. Empty if it is accepted.
struct FormatError {
  std::string place;
  std::string text;
  bool unsupported = false; ///< the file is valid, but uses an unsupported
                            ///< feature
  explicit operator bool() const { return !text.empty(); }
};

/// The largest offset at which a header may end.
constexpr size_t maxNpyFront = 12 + (1 << 16);

/// Reads the type and extents of `tensor` from `front`, the beginning of a
/// file: the whole file or at least maxNpyFront bytes. `fileBytes` becomes the
/// size that the file must have.
FormatError readNpyHeader(std::string_view front, Tensor &tensor,
                          uint64_t &fileBytes);

/// Reads one .npy array. Big-endian elements and Fortran order are converted.
/// '|V2' is read as bf16, as ml_dtypes writes it.
FormatError readNpy(std::string_view file, Tensor &tensor);

/// The bytes of `tensor` as a .npy file of version 1.0 (2.0 if the header is
/// long). The data are aligned to 64 bytes.
std::string writeNpy(const Tensor &tensor);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_NPY_NPY_H
