// The rules are those of cuTensorMapEncodeTiled in the driver's manual.
#include "test/gpu/emulator/TensorMap.h"

namespace tenon::ptx {

std::string tensorMapError(const TensorMap &map) {
  if (map.rank < 1 || map.rank > maxTensorRank)
    return "a rank that is not 1 to 5";
  if (map.address == 0 || map.address % 16)
    return "an address that is no multiple of 16";
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (map.extents[i] < 1 || map.extents[i] > uint64_t(1) << 32)
      return "an extent that is not 1 to 2^32";
    if (map.box[i] < 1 || map.box[i] > 256)
      return "a box that is not 1 to 256 wide";
    if (i == 0)
      continue;
    if (map.strides[i - 1] % 16)
      return "a stride that is no multiple of 16 bytes";
    if (map.strides[i - 1] >= uint64_t(1) << 40)
      return "a stride of 2^40 bytes or more";
  }
  if (map.rowBytes() % 16)
    return "a box whose rows are no multiple of 16 bytes";
  if (map.swizzle != Swizzle::None &&
      map.rowBytes() > swizzleBytes(map.swizzle))
    return "a box whose rows are longer than the swizzle";
  return "";
}

} // namespace tenon::ptx
