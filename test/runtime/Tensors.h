// Tensors made of vectors, for tests that call compiled functions.
#ifndef TENON_TEST_RUNTIME_TENSORS_H
#define TENON_TEST_RUNTIME_TENSORS_H

#include "runtime/tenon.h"

#include <cstdint>
#include <vector>

namespace tenon::test {

template <typename T> constexpr int32_t dtypeOf();
template <> constexpr int32_t dtypeOf<float>() { return TENON_F32; }
template <> constexpr int32_t dtypeOf<int32_t>() { return TENON_I32; }
template <> constexpr int32_t dtypeOf<int64_t>() { return TENON_I64; }

/// A tensor on vectors that the test owns.
template <typename T>
tenon_tensor tensorOn(std::vector<T> &data, std::vector<int64_t> &dims,
                      const char *name = nullptr) {
  return {sizeof(tenon_tensor),    name,         dtypeOf<T>(),
          int32_t(dims.size()),    dims.data(),  data.data(),
          data.size() * sizeof(T), TENON_ON_HOST};
}

/// An output that the context shall own.
inline tenon_tensor ownedOutput() {
  tenon_tensor tensor = {};
  tensor.struct_size = sizeof tensor;
  return tensor;
}

} // namespace tenon::test

#endif // TENON_TEST_RUNTIME_TENSORS_H
