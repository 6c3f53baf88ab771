// Elements of any type as raw bits, for tests of all types.
#ifndef TENON_TEST_UNIT_ELEMENTWISE_ELEMENTS_H
#define TENON_TEST_UNIT_ELEMENTWISE_ELEMENTS_H

#include "test/unit/elementwise/JitKernel.h"
#include <bit>
#include <cstring>
#include <string>

namespace tenon {

/// The properties of a type, from its name.
struct ElementType {
  explicit ElementType(std::string text)
      : name(std::move(text)), isUnsigned(name[0] == 'u' || name == "i1"),
        isFloat(name.find('f') != std::string::npos),
        width(std::stoi(name.substr(name.find_first_of("0123456789")))) {}

  size_t bytes() const { return width == 1 ? 1 : width / 8; }
  uint64_t mask() const { return ~uint64_t(0) >> (64 - width); }
  uint64_t least() const { return isUnsigned ? 0 : uint64_t(1) << (width - 1); }
  uint64_t greatest() const { return isUnsigned ? mask() : mask() >> 1; }
  /// The integer value of the bits.
  __int128 value(uint64_t bits) const {
    unsigned up = 64 - width;
    return isUnsigned ? __int128(bits & mask())
                      : __int128(int64_t(bits << up) >> up);
  }

  std::string name;
  bool isUnsigned, isFloat;
  unsigned width;
};

using Bits = std::vector<uint64_t>;

inline std::vector<char> pack(const ElementType &type, const Bits &bits) {
  std::vector<char> bytes(bits.size() * type.bytes());
  for (size_t i = 0; i < bits.size(); ++i)
    std::memcpy(&bytes[i * type.bytes()], &bits[i], type.bytes());
  return bytes;
}

/// Runs spec `index` in one form and returns the results. `inputs` must have a
/// multiple of 16 elements.
inline Bits runBits(const JitKernels &kernels, size_t index, Form form,
                    const KernelSpec &spec, const std::vector<Bits> &inputs) {
  std::vector<std::vector<char>> packed;
  std::vector<const void *> pointers;
  for (size_t i = 0; i < inputs.size(); ++i)
    packed.push_back(pack(ElementType(spec.operands[i]), inputs[i]));
  for (const std::vector<char> &bytes : packed)
    pointers.push_back(bytes.data());
  ElementType result(spec.result);
  size_t count = inputs[0].size();
  std::vector<char> bytes(count * result.bytes());
  kernels.run(index, form, pointers, bytes.data(), int64_t(count));
  Bits bits(count);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&bits[i], &bytes[i * result.bytes()], result.bytes());
  return bits;
}

} // namespace tenon

#endif // TENON_TEST_UNIT_ELEMENTWISE_ELEMENTS_H
