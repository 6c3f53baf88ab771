// Factors of matrix instructions; see the header.
#include "test/gpu/emulator/MatrixFactors.h"

#include <algorithm>

namespace tenon::ptx {

Factor takeFactor(Decoding &d) {
  std::string name = d.takeOneOf({"f16", "bf16", "tf32", "s8", "u8"});
  return name == "f16"    ? Factor::F16
         : name == "bf16" ? Factor::BF16
         : name == "tf32" ? Factor::TF32
         : name == "s8"   ? Factor::S8
                          : Factor::U8;
}

double factorIn(Warp &warp, int lane, Factor factor, uint32_t word, int part) {
  bool isNan = (word & 0x7fffffff) > 0x7f800000;
  if (factor == Factor::TF32 && word & 0x1fff && !isNan)
    warp.fail(lane, "a factor is no number of .tf32: it has bits below the "
                    "fraction's 10");
  return valueOf(factor, word >> (bitsOf(factor) * part));
}

uint32_t integerSum(double sum, bool saturates) {
  // At most 32 * 255 * 255 + 2^31, so exact.
  auto value = int64_t(sum);
  if (saturates)
    value = std::clamp<int64_t>(value, INT32_MIN, INT32_MAX);
  return uint32_t(value);
}

void requireWholeWarp(Warp &warp, uint32_t mask) {
  if (mask != allLanes)
    warp.fail(__builtin_ctz(~mask), "is not at the instruction, which all "
                                    "lanes of the warp must execute");
}

} // namespace tenon::ptx
