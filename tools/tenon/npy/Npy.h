// NumPy's array files: bytes go in, tensors come out, and back. A file is
// checked whole: an array that is shorter or longer than its header says is
// refused with the offset.
#ifndef TENON_TOOLS_TENON_NPY_NPY_H
#define TENON_TOOLS_TENON_NPY_NPY_H

#include "tools/tenon/Tensor.h"

#include <string>
#include <string_view>

namespace tenon::cli {

/// Why a file is refused: `offset 12: expected ...`; empty where it is not.
struct FormatError {
  std::string place;
  std::string text;
  bool unsupported = false; ///< a valid file with something we do not take
  explicit operator bool() const { return !text.empty(); }
};

/// No header ends later in its file.
constexpr size_t maxNpyFront = 12 + (1 << 16);

/// Reads the header at the `front` of a file, which ends there or has at least
/// maxNpyFront bytes: type and extents of `tensor`, and how many bytes the file
/// must have.
FormatError readNpyHeader(std::string_view front, Tensor &tensor,
                          uint64_t &fileBytes);

/// Reads one .npy array. Big-endian elements and Fortran order are converted;
/// '|V2' is bf16, as ml_dtypes writes it.
FormatError readNpy(std::string_view file, Tensor &tensor);

/// The bytes of `tensor` as a .npy file of version 1.0 (2.0 where the header is
/// long), its data 64-byte aligned.
std::string writeNpy(const Tensor &tensor);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_NPY_NPY_H
