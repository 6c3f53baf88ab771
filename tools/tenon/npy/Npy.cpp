// The header of a .npy file is a Python dictionary with three keys. The parser
// accepts only these.
#include "tools/tenon/npy/Npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace tenon::cli {

/// The limits suffice for any array of rank 64.
static constexpr size_t maxHeaderBytes = maxNpyFront - 12;
static constexpr size_t maxRank = 64;

namespace {
struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> shape;
};

/// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`.
class HeaderParser {
public:
  HeaderParser(std::string_view text, size_t offset)
      : text(text), base(offset) {}

  FormatError parse(Header &header) {
    bool seenDescr = false, seenOrder = false, seenShape = false;
    if (!take('{'))
      return fail("expected '{'");
    while (!take('}')) {
      std::string key;
      if (FormatError error = parseString(key))
        return error;
      if (!take(':'))
        return fail("expected ':' after a key");
      bool *seen = key == "descr"           ? &seenDescr
                   : key == "fortran_order" ? &seenOrder
                   : key == "shape"         ? &seenShape
                                            : nullptr;
      if (!seen || *seen)
        return fail(seen ? "key '" + key + "' stands twice"
                         : "unknown key '" + key + "'");
      *seen = true;
      if (FormatError error = seen == &seenDescr   ? parseDescr(header.descr)
                              : seen == &seenOrder ? parseBool(header.fortran)
                                                   : parseShape(header.shape))
        return error;
      if (!take(',') && peek() != '}')
        return fail("expected ',' or '}'");
    }
    if (!seenDescr || !seenOrder || !seenShape)
      return fail("expected the keys descr, fortran_order and shape");
    skipSpace();
    if (at != text.size())
      return fail("unexpected text after the header");
    return {};
  }

private:
  FormatError fail(std::string why) const {
    return {"offset " + std::to_string(base + at), std::move(why)};
  }
  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }
  char peek() {
    skipSpace();
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  FormatError parseString(std::string &value) {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return fail("expected a string");
    size_t end = text.find(quote, at + 1);
    if (end == std::string_view::npos)
      return fail("a string without an end");
    value = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return {};
  }
  FormatError parseDescr(std::string &value) {
    if (peek() == '[')
      return {"offset " + std::to_string(base + at),
              "records are not supported", true};
    return parseString(value);
  }
  FormatError parseBool(bool &value) {
    skipSpace();
    for (std::string_view word : {"True", "False"})
      if (text.substr(at, word.size()) == word) {
        value = word == "True";
        at += word.size();
        return {};
      }
    return fail("expected True or False");
  }
  FormatError parseShape(std::vector<int64_t> &shape) {
    if (!take('('))
      return fail("expected '('");
    while (!take(')')) {
      peek();
      int64_t extent = 0;
      auto [end, error] =
          std::from_chars(text.data() + at, text.data() + text.size(), extent);
      if (error != std::errc() || extent < 0)
        return fail("expected an extent from 0 to 2^63-1");
      if (shape.size() == maxRank)
        return fail("rank above the limit of " + std::to_string(maxRank));
      at = end - text.data();
      shape.push_back(extent);
      if (!take(',') && peek() != ')')
        return fail("expected ',' or ')'");
    }
    return {};
  }

  std::string_view text;
  size_t base;
  size_t at = 0;
};
} // namespace

static constexpr struct {
  const char *code;
  int32_t dtype;
} elementCodes[] = {
    {"f4", TENON_F32},  {"f8", TENON_F64}, {"f2", TENON_F16},
    {"i1", TENON_I8},   {"i2", TENON_I16}, {"i4", TENON_I32},
    {"i8", TENON_I64},  {"u1", TENON_U8},  {"u2", TENON_U16},
    {"u4", TENON_U32},  {"u8", TENON_U64}, {"b1", TENON_BOOL},
    {"V2", TENON_BF16},
};

static FormatError readDescr(const std::string &descr, int32_t &dtype,
                             bool &bigEndian) {
  if (descr == "bfloat16") {
    dtype = TENON_BF16;
    return {};
  }
  if (descr.size() >= 2 && std::strchr("<>|=", descr[0]))
    for (auto [code, element] : elementCodes)
      if (descr.substr(1) == code) {
        dtype = element;
        bigEndian = descr[0] == '>';
        return {};
      }
  return {"descr", "element type '" + descr + "' is not supported", true};
}

/// Moves the elements of `tensor` from column-major to row-major order.
static void fromFortranOrder(Tensor &tensor) {
  size_t size = tenon_dtype_bytes(tensor.dtype);
  size_t rank = tensor.dims.size();
  std::vector<uint8_t> result(tensor.bytes.size());
  std::vector<int64_t> index(rank, 0), stride(rank, 1);
  for (size_t d = 1; d < rank; ++d)
    stride[d] = stride[d - 1] * tensor.dims[d - 1];
  int64_t source = 0;
  for (size_t to = 0; to < result.size(); to += size) {
    std::memcpy(&result[to], &tensor.bytes[source * size], size);
    for (size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++index[d] < tensor.dims[d])
        break;
      source -= stride[d] * tensor.dims[d];
      index[d] = 0;
    }
  }
  tensor.bytes = std::move(result);
}

static void swapBytes(Tensor &tensor) {
  size_t size = tenon_dtype_bytes(tensor.dtype);
  for (size_t i = 0; i < tensor.bytes.size(); i += size)
    std::reverse(&tensor.bytes[i], &tensor.bytes[i] + size);
}

namespace {
/// A file's header and the offset of its data.
struct Layout {
  Header header;
  bool bigEndian = false;
  size_t data = 0;
  uint64_t bytes = 0; ///< size of the data
};
} // namespace

static FormatError readLayout(std::string_view file, Tensor &tensor,
                              Layout &layout) {
  static constexpr std::string_view magic("\x93NUMPY", 6);
  if (file.substr(0, magic.size()) != magic)
    return {"offset 0", "not a .npy file"};
  if (file.size() < 10)
    return {"offset 6", "the file ends inside its header"};
  uint8_t major = file[6], minor = file[7];
  if (major < 1 || major > 3 || minor != 0)
    return {"offset 6",
            "expected version 1.0, 2.0 or 3.0, got " + std::to_string(major) +
                "." + std::to_string(minor),
            true};
  size_t start = major == 1 ? 10 : 12;
  if (file.size() < start)
    return {"offset 8", "the file ends inside its header"};
  size_t length = 0;
  for (size_t i = start; i-- > 8;)
    length = length << 8 | uint8_t(file[i]);
  if (length > maxHeaderBytes)
    return {"offset 8", "header of " + std::to_string(length) +
                            " bytes, above the limit of " +
                            std::to_string(maxHeaderBytes)};
  if (length > file.size() - start)
    return {"offset 8", "header of " + std::to_string(length) +
                            " bytes, but the file has " +
                            std::to_string(file.size() - start) + " left"};
  Header &header = layout.header;
  if (FormatError error =
          HeaderParser(file.substr(start, length), start).parse(header))
    return error;
  if (FormatError error =
          readDescr(header.descr, tensor.dtype, layout.bigEndian))
    return error;
  tensor.dims = std::move(header.shape);
  layout.data = start + length;
  std::optional<uint64_t> bytes = tensorBytes(tensor.dtype, tensor.dims);
  if (!bytes)
    return {"offset " + std::to_string(layout.data),
            "expected over 2^63 bytes for " +
                typeText(tensor.dtype, tensor.dims) + ", got " +
                std::to_string(file.size() - layout.data)};
  layout.bytes = *bytes;
  return {};
}

FormatError readNpyHeader(std::string_view front, Tensor &tensor,
                          uint64_t &fileBytes) {
  Layout layout;
  FormatError error = readLayout(front, tensor, layout);
  fileBytes = layout.data + layout.bytes;
  return error;
}

FormatError readNpy(std::string_view file, Tensor &tensor) {
  Layout layout;
  if (FormatError error = readLayout(file, tensor, layout))
    return error;
  size_t data = layout.data;
  if (layout.bytes != file.size() - data)
    return {"offset " + std::to_string(data),
            "expected " + std::to_string(layout.bytes) + " bytes for " +
                typeText(tensor.dtype, tensor.dims) + ", got " +
                std::to_string(file.size() - data)};
  tensor.bytes.assign(file.begin() + data, file.end());
  if (layout.bigEndian)
    swapBytes(tensor);
  if (layout.header.fortran && tensor.dims.size() > 1 && !tensor.bytes.empty())
    fromFortranOrder(tensor);
  if (tensor.dtype == TENON_BOOL)
    for (size_t i = 0; i < tensor.bytes.size(); ++i)
      if (tensor.bytes[i] > 1)
        return {"offset " + std::to_string(data + i),
                "expected a bool of 0 or 1, got " +
                    std::to_string(tensor.bytes[i])};
  return {};
}

std::string writeNpy(const Tensor &tensor) {
  std::string descr;
  for (auto [code, dtype] : elementCodes)
    if (dtype == tensor.dtype)
      descr = code;
  bool ordered = tenon_dtype_bytes(tensor.dtype) > 1;
  std::string header = "{'descr': '" + std::string(ordered ? "<" : "|") +
                       descr + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.dims)
    header += std::to_string(extent) + ", ";
  // A tuple of one element keeps its comma; longer tuples end without one.
  if (tensor.dims.size() > 1)
    header.resize(header.size() - 2);
  else if (tensor.dims.size() == 1)
    header.pop_back();
  header += "), }";
  bool longHeader = header.size() > 60000;
  size_t prefix = longHeader ? 12 : 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY", 6);
  file += longHeader ? '\2' : '\1';
  file += '\0';
  for (size_t i = 0; i < prefix - 8; ++i)
    file += static_cast<char>(header.size() >> (8 * i));
  file += header;
  file.append(tensor.bytes.begin(), tensor.bytes.end());
  return file;
}

} // namespace tenon::cli
