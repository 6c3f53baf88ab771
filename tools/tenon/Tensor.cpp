// Elements of every ABI type, read and written one by one. The code favours
// exactness over speed.
#include "tools/tenon/Tensor.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::cli {

int64_t Tensor::getNumElements() const {
  int64_t count = 1;
  for (int64_t extent : dims)
    count *= extent;
  return count;
}

std::optional<int32_t> dtypeNamed(std::string_view name) {
  for (int32_t dtype = TENON_F32; dtype <= TENON_BOOL; ++dtype)
    if (name == tenon_dtype_name(dtype))
      return dtype;
  return std::nullopt;
}

bool isFloat(int32_t dtype) {
  return dtype == TENON_F32 || dtype == TENON_F64 || dtype == TENON_F16 ||
         dtype == TENON_BF16;
}

bool isUnsigned(int32_t dtype) {
  return dtype == TENON_U8 || dtype == TENON_U16 || dtype == TENON_U32 ||
         dtype == TENON_U64 || dtype == TENON_BOOL;
}

std::optional<uint64_t> tensorBytes(int32_t dtype,
                                    const std::vector<int64_t> &dims) {
  uint64_t bytes = tenon_dtype_bytes(dtype);
  bool empty = false;
  for (int64_t extent : dims) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
  }
  if (empty)
    return 0;
  for (int64_t extent : dims)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(extent), &bytes) ||
        bytes > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      return std::nullopt;
  return bytes;
}

template <typename T> static T load(const Tensor &tensor, int64_t index) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
static void store(Tensor &tensor, int64_t index, T value) {
  std::memcpy(tensor.bytes.data() + index * sizeof(T), &value, sizeof(T));
}

static float floatFromHalf(uint16_t half) {
  uint32_t sign = uint32_t(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 31;
  uint32_t mantissa = half & 1023;
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000 | (mantissa << 13));
  float magnitude = std::ldexp(float(mantissa + (exponent ? 1024 : 0)),
                               int(exponent ? exponent : 1) - 25);
  return sign ? -magnitude : magnitude;
}

/// The bits of `value` as a float with these widths, rounded ties to even.
static uint16_t narrow(double value, int mantissaBits, int exponentBits) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinity = ((1 << exponentBits) - 1) << mantissaBits;
  if (std::isnan(value))
    return sign | infinity | (1 << (mantissaBits - 1));
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  // Units of the last place. nearbyint rounds ties to even; a carry goes into
  // the exponent.
  auto units = static_cast<uint32_t>(
      std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent)));
  uint32_t bits = (uint32_t(exponent + bias - 1) << mantissaBits) + units;
  return sign | static_cast<uint16_t>(std::min<uint32_t>(bits, infinity));
}

double elementAsDouble(const Tensor &tensor, int64_t index) {
  switch (tensor.dtype) {
  case TENON_F32:
    return load<float>(tensor, index);
  case TENON_F64:
    return load<double>(tensor, index);
  case TENON_F16:
    return floatFromHalf(load<uint16_t>(tensor, index));
  case TENON_BF16:
    return std::bit_cast<float>(uint32_t(load<uint16_t>(tensor, index)) << 16);
  case TENON_U64:
    return static_cast<double>(load<uint64_t>(tensor, index));
  default:
    return static_cast<double>(elementAsBits(tensor, index));
  }
}

int64_t elementAsBits(const Tensor &tensor, int64_t index) {
  switch (tensor.dtype) {
  case TENON_I8:
    return load<int8_t>(tensor, index);
  case TENON_I16:
    return load<int16_t>(tensor, index);
  case TENON_I32:
    return load<int32_t>(tensor, index);
  case TENON_U16:
    return load<uint16_t>(tensor, index);
  case TENON_U32:
    return load<uint32_t>(tensor, index);
  case TENON_I64:
  case TENON_U64:
    return load<int64_t>(tensor, index);
  default:
    return load<uint8_t>(tensor, index);
  }
}

void setElement(Tensor &tensor, int64_t index, double value) {
  switch (tensor.dtype) {
  case TENON_F32:
    return store(tensor, index, static_cast<float>(value));
  case TENON_F64:
    return store(tensor, index, value);
  case TENON_F16:
    return store(tensor, index, narrow(value, 10, 5));
  case TENON_BF16:
    return store(tensor, index, narrow(value, 7, 8));
  default:
    return setElementBits(tensor, index, static_cast<int64_t>(value));
  }
}

void setElementBits(Tensor &tensor, int64_t index, int64_t value) {
  size_t size = tenon_dtype_bytes(tensor.dtype);
  // Copies the low bytes, which come first.
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(tensor.bytes.data() + index * size, &value, size);
}

std::string elementText(const Tensor &tensor, int64_t index) {
  char text[64];
  std::to_chars_result result{};
  if (tensor.dtype == TENON_BOOL)
    return elementAsBits(tensor, index) ? "true" : "false";
  if (!isFloat(tensor.dtype)) {
    int64_t bits = elementAsBits(tensor, index);
    result = tensor.dtype == TENON_U64
                 ? std::to_chars(text, text + 64, static_cast<uint64_t>(bits))
                 : std::to_chars(text, text + 64, bits);
  } else if (tensor.dtype == TENON_F64) {
    result = std::to_chars(text, text + 64, elementAsDouble(tensor, index));
  } else {
    result = std::to_chars(text, text + 64,
                           static_cast<float>(elementAsDouble(tensor, index)));
  }
  return std::string(text, result.ptr);
}

std::string typeText(int32_t dtype, const std::vector<int64_t> &dims) {
  std::string text = std::string(tenon_dtype_name(dtype)) + "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}

} // namespace tenon::cli
