// Reads ONNX test data, one TensorProto per file, into an element type, extents
// and packed little-endian elements. Refuses strings, segments and external
// data.
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

/// Reads `path`. On failure returns false and sets `error`.
bool readTensorFile(const std::string &path, TensorFile &tensor,
                    std::string &error);

/// Compares element type, extents and elements. Elements agree if |got - want|
/// <= atol + rtol * |want|; integers must be equal. atol is at least `share` of
/// the largest finite |want|. Returns the first difference, or an empty string.
std::string difference(const TensorFile &want, int32_t gotType,
                       const std::vector<int64_t> &gotDims, const void *got,
                       double rtol, double atol, double share = 0);

/// Compares like `difference`, but all bits of elements; any NaN equals any
/// other.
std::string differenceInBits(const TensorFile &want, int32_t gotType,
                             const std::vector<int64_t> &gotDims,
                             const void *got);

/// Corrects data of the suite that contradict their models. numpy has no
/// bfloat16, so its bits are stored as u16. The second input of CastLike is one
/// element whatever its declared extents are, because only its type counts.
void reconcile(TensorFile &tensor, const tenon_tensor_desc &declared);

} // namespace tenon::conformance

#endif // TENON_TEST_CONFORMANCE_TENSORFILE_H
