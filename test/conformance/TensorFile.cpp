// Reads TensorProto from the wire format, independently of the compiler's
// reader, and compares tensors. For comparison elements are widened to double
// or int64.
#include "test/conformance/TensorFile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace tenon::conformance;

namespace {

/// A cursor over wire bytes; `ok` becomes false when a field is cut.
struct Wire {
  const uint8_t *at;
  const uint8_t *end;
  bool ok = true;

  bool more() const { return ok && at < end; }

  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == end)
        break;
      uint8_t byte = *at++;
      value |= uint64_t(byte & 127) << shift;
      if (byte < 128)
        return value;
    }
    ok = false;
    return 0;
  }

  template <typename T> T fixed() {
    T value{};
    if (size_t(end - at) < sizeof(T)) {
      ok = false;
      return value;
    }
    std::memcpy(&value, at, sizeof(T));
    at += sizeof(T);
    return value;
  }

  Wire chunk() {
    uint64_t size = varint();
    if (!ok || size > uint64_t(end - at)) {
      ok = false;
      return {end, end};
    }
    Wire inner{at, at + size};
    at += size;
    return inner;
  }

  void skip(int kind) {
    if (kind == 0)
      varint();
    else if (kind == 1)
      fixed<uint64_t>();
    else if (kind == 2)
      chunk();
    else if (kind == 5)
      fixed<uint32_t>();
    else
      ok = false;
  }
};

template <typename T> void append(std::vector<uint8_t> &bytes, T value) {
  auto *raw = reinterpret_cast<const uint8_t *>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof(T));
}

tenon_dtype dtypeOf(int64_t code) {
  switch (code) {
  case 1:
    return TENON_F32;
  case 2:
    return TENON_U8;
  case 3:
    return TENON_I8;
  case 4:
    return TENON_U16;
  case 5:
    return TENON_I16;
  case 6:
    return TENON_I32;
  case 7:
    return TENON_I64;
  case 9:
    return TENON_BOOL;
  case 10:
    return TENON_F16;
  case 11:
    return TENON_F64;
  case 12:
    return TENON_U32;
  case 13:
    return TENON_U64;
  case 16:
    return TENON_BF16;
  default:
    return tenon_dtype(0);
  }
}

/// Appends an element of int32_data, int64_data or uint64_data, cut to its
/// width.
void appendInteger(TensorFile &tensor, uint64_t value) {
  auto *raw = reinterpret_cast<const uint8_t *>(&value);
  tensor.bytes.insert(tensor.bytes.end(), raw,
                      raw + elementBytes(tensor.dtype));
}

double half(uint16_t bits) {
  int exponent = bits >> 10 & 31;
  double fraction = bits & 1023;
  double value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                 : exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

double bfloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

template <typename T> T load(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T),
              sizeof(T));
  return value;
}

bool isFloat(int32_t dtype) {
  return dtype == TENON_F32 || dtype == TENON_F64 || dtype == TENON_F16 ||
         dtype == TENON_BF16;
}

double floatAt(int32_t dtype, const void *data, int64_t index) {
  switch (dtype) {
  case TENON_F32:
    return load<float>(data, index);
  case TENON_F64:
    return load<double>(data, index);
  case TENON_F16:
    return half(load<uint16_t>(data, index));
  default:
    return bfloat(load<uint16_t>(data, index));
  }
}

std::string shapeText(const std::vector<int64_t> &dims) {
  std::ostringstream text;
  text << '[';
  for (size_t i = 0; i < dims.size(); ++i)
    text << (i != 0 ? ", " : "") << dims[i];
  text << ']';
  return text.str();
}

} // namespace

int64_t TensorFile::elements() const {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

size_t tenon::conformance::elementBytes(int32_t dtype) {
  switch (dtype) {
  case TENON_I8:
  case TENON_U8:
  case TENON_BOOL:
    return 1;
  case TENON_F16:
  case TENON_BF16:
  case TENON_I16:
  case TENON_U16:
    return 2;
  case TENON_F32:
  case TENON_I32:
  case TENON_U32:
    return 4;
  default:
    return 8;
  }
}

bool tenon::conformance::readTensorFile(const std::string &path,
                                        TensorFile &tensor,
                                        std::string &error) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  if (!file) {
    error = path + ": cannot be read";
    return false;
  }
  auto *begin = reinterpret_cast<const uint8_t *>(text.data());
  Wire whole{begin, begin + text.size()};

  // The type may come after the data, so find it first.
  tensor = TensorFile();
  for (Wire wire = whole; wire.more();) {
    uint64_t key = wire.varint();
    if (key == (2 << 3 | 0))
      tensor.dtype = dtypeOf(int64_t(wire.varint()));
    else
      wire.skip(key & 7);
  }
  if (tensor.dtype == 0) {
    error = path + ": its element type is not a number";
    return false;
  }

  Wire wire = whole;
  while (wire.more()) {
    uint64_t key = wire.varint();
    int number = int(key >> 3), kind = int(key & 7);
    if (number == 1 && kind == 0) {
      tensor.dims.push_back(int64_t(wire.varint()));
    } else if (number == 1 && kind == 2) {
      for (Wire part = wire.chunk(); part.more();)
        tensor.dims.push_back(int64_t(part.varint()));
    } else if ((number == 5 || number == 7 || number == 11) && kind == 0) {
      appendInteger(tensor, wire.varint());
    } else if ((number == 5 || number == 7 || number == 11) && kind == 2) {
      for (Wire part = wire.chunk(); part.more();)
        appendInteger(tensor, part.varint());
    } else if (number == 4 && kind == 5) {
      append(tensor.bytes, wire.fixed<uint32_t>());
    } else if (number == 10 && kind == 1) {
      append(tensor.bytes, wire.fixed<uint64_t>());
    } else if ((number == 4 || number == 9 || number == 10) && kind == 2) {
      Wire part = wire.chunk();
      tensor.bytes.insert(tensor.bytes.end(), part.at, part.end);
    } else {
      wire.skip(kind);
    }
  }
  if (!wire.ok ||
      tensor.bytes.size() != tensor.elements() * elementBytes(tensor.dtype)) {
    error = path + ": is cut or does not hold its elements";
    return false;
  }
  return true;
}

std::string tenon::conformance::difference(const TensorFile &want,
                                           int32_t gotType,
                                           const std::vector<int64_t> &gotDims,
                                           const void *got, double rtol,
                                           double atol, double share) {
  std::ostringstream text;
  if (gotType != want.dtype) {
    text << "element type: expected " << want.dtype << ", got " << gotType;
    return text.str();
  }
  if (gotDims != want.dims) {
    text << "extents: expected " << shapeText(want.dims) << ", got "
         << shapeText(gotDims);
    return text.str();
  }
  int64_t wrong = 0, first = -1, count = want.elements();
  size_t size = elementBytes(gotType);
  // bf16 has eight bits of precision: a step is at most 2^-7 of the value.
  if (gotType == TENON_BF16)
    rtol = std::max(rtol, 1.0 / 128);
  for (int64_t i = 0; isFloat(gotType) && i < count; ++i) {
    double a = std::fabs(floatAt(gotType, want.bytes.data(), i));
    if (std::isfinite(a))
      atol = std::max(atol, share * a);
  }
  for (int64_t i = 0; i < count; ++i) {
    bool same;
    if (isFloat(gotType)) {
      double a = floatAt(gotType, want.bytes.data(), i);
      double b = floatAt(gotType, got, i);
      same = std::isnan(a)   ? std::isnan(b)
             : std::isinf(a) ? a == b
                             : std::fabs(a - b) <= atol + rtol * std::fabs(a);
    } else {
      same = std::memcmp(want.bytes.data() + i * size,
                         static_cast<const char *>(got) + i * size, size) == 0;
    }
    if (same)
      continue;
    if (wrong++ == 0)
      first = i;
  }
  if (wrong == 0)
    return "";
  text << wrong << " of " << count << " elements differ, first at " << first;
  if (isFloat(gotType))
    text << ": expected " << floatAt(gotType, want.bytes.data(), first)
         << ", got " << floatAt(gotType, got, first);
  return text.str();
}

std::string
tenon::conformance::differenceInBits(const TensorFile &want, int32_t gotType,
                                     const std::vector<int64_t> &gotDims,
                                     const void *got) {
  std::string loose = difference(want, gotType, gotDims, got, 0, 0);
  if (!loose.empty() && gotType != TENON_BF16)
    return loose;
  if (gotType != want.dtype || gotDims != want.dims)
    return loose;
  size_t size = elementBytes(gotType);
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (std::memcmp(want.bytes.data() + i * size,
                    static_cast<const char *>(got) + i * size, size) == 0 ||
        (isFloat(gotType) &&
         std::isnan(floatAt(gotType, want.bytes.data(), i)) &&
         std::isnan(floatAt(gotType, got, i))))
      continue;
    return "element " + std::to_string(i) + " has other bits";
  }
  return "";
}

void tenon::conformance::reconcile(TensorFile &tensor,
                                   const tenon_tensor_desc &declared) {
  if (declared.dtype == TENON_BF16 && tensor.dtype == TENON_U16)
    tensor.dtype = TENON_BF16;
  if (std::strcmp(declared.name, "like") != 0 || tensor.elements() != 1)
    return;
  tensor.dims.clear();
  for (int32_t i = 0; i < declared.rank; ++i)
    tensor.dims.push_back(std::max<int64_t>(declared.dims[i].size, 1));
  tensor.bytes.resize(tensor.elements() * elementBytes(tensor.dtype));
}
