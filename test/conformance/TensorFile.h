// ONNX test data: one TensorProto per file becomes an element type, extents and
// packed little-endian elements. Files with strings, segments or external data
// are refused.
#ifndef TENON_TEST_CONFORMANCE_TENSORFILE_H
#define TENON_TEST_CONFORMANCE_TENSORFILE_H

#include "runtime/tenon_abi.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::conformance {

struct TensorFile {
  tenon_dtype dtype = TENON_F32;
  std::vector<int64_t> dims;
  std::vector<uint8_t> bytes;

  int64_t elements() const;
};

/// Bytes of one element of `dtype`.
size_t elementBytes(int32_t dtype);

/// Reads `path`; on failure returns false and says why in `error`.
bool readTensorFile(const std::string &path, TensorFile &tensor,
                    std::string &error);

/// Why `got` is not `want` (element type, extents, then elements within
/// |got - want| <= atol + rtol * |want|, exact for integers); empty when it is.
/// atol is at least `share` of the largest finite |want|.
std::string difference(const TensorFile &want, int32_t gotType,
                       const std::vector<int64_t> &gotDims, const void *got,
                       double rtol, double atol, double share = 0);

} // namespace tenon::conformance

#endif // TENON_TEST_CONFORMANCE_TENSORFILE_H
