// Reads the length and the JSON of a header, checks each entry, then checks
// that the entries divide the rest of the file without holes or overlaps.
#include "compiler/import/huggingface/reader/Safetensors.h"

#include "compiler/files/Json.h"
#include "compiler/files/ReadFailure.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace tenon::hf {
namespace {

struct DtypeBits {
  const char *name;
  unsigned bits;
};
/// All element types of the format. The importer decides which it supports.
constexpr DtypeBits dtypes[] = {
    {"BOOL", 8},    {"U8", 8},   {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8},
    {"F8_E8M0", 8}, {"I16", 16}, {"U16", 16}, {"F16", 16},    {"BF16", 16},
    {"I32", 32},    {"U32", 32}, {"F32", 32}, {"F64", 64},    {"I64", 64},
    {"U64", 64},    {"C64", 64}, {"F4", 4},   {"F6_E2M3", 6}, {"F6_E3M2", 6}};

constexpr size_t lengthBytes = 8;
constexpr size_t maxRank = 64;
constexpr size_t maxMetadataBytes = size_t(16) << 20;

std::string placeOf(const std::string &name) {
  return "tensor " + quoted(name);
}

/// The numbers of an array of integers that are not negative.
std::vector<int64_t> numbers(const std::string &place, const Json &entry,
                             const char *key) {
  const Json *list = entry.find(key);
  const auto *array = list ? list->get<JsonArray>() : nullptr;
  if (!array)
    fail(place, std::string("expected '") + key + "' to be an array, got " +
                    (list ? spell(*list) : "nothing"));
  if (array->size() > maxRank)
    fail(place,
         std::string("expected at most ") + std::to_string(maxRank) +
             " numbers in '" + key + "', got " + std::to_string(array->size()),
         Status::Limit);
  std::vector<int64_t> result;
  for (const Json &element : *array) {
    const auto *number = element.get<int64_t>();
    if (!number || *number < 0)
      fail(place, std::string("expected integers from 0 to 2^63 - 1 in '") +
                      key + "', got " + spell(element));
    result.push_back(*number);
  }
  return result;
}

/// The bytes of a tensor with `dims` elements of `bits` bits.
uint64_t bytesOf(const std::string &place, const std::vector<int64_t> &dims,
                 unsigned bits) {
  // Zero elements need no bytes, whatever the other extents are.
  if (std::find(dims.begin(), dims.end(), 0) != dims.end())
    return 0;
  uint64_t total = bits;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(total, uint64_t(dim), &total))
      fail(place, "its shape has more elements than a file can hold");
  if (total % 8 != 0)
    fail(place, "its elements do not fill whole bytes");
  return total / 8;
}

StoredTensor readEntry(const std::string &name, const Json &entry) {
  std::string place = placeOf(name);
  const auto *members = entry.get<JsonObject>();
  if (!members)
    fail(place, "expected an object, got " + spell(entry));
  for (const auto &[key, value] : *members)
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      fail(place, "expected the keys dtype, shape and data_offsets, got " +
                      quoted(key));
  StoredTensor tensor;
  tensor.name = name;
  const Json *dtype = entry.find("dtype");
  if (const auto *text = dtype ? dtype->get<std::string>() : nullptr)
    tensor.dtype = *text;
  const auto *known = std::find_if(
      std::begin(dtypes), std::end(dtypes),
      [&](const DtypeBits &one) { return one.name == tensor.dtype; });
  if (known == std::end(dtypes))
    fail(place,
         "expected a known dtype, got " + (dtype ? spell(*dtype) : "nothing"));
  tensor.dims = numbers(place, entry, "shape");
  std::vector<int64_t> range = numbers(place, entry, "data_offsets");
  if (range.size() != 2 || range[0] > range[1])
    fail(place, "expected data_offsets with a begin and an end after it");
  uint64_t needed = bytesOf(place, tensor.dims, known->bits);
  tensor.offset = uint64_t(range[0]);
  tensor.length = uint64_t(range[1] - range[0]);
  if (tensor.length != needed)
    fail(place, "its shape and dtype need " + std::to_string(needed) +
                    " bytes, its data_offsets hold " +
                    std::to_string(tensor.length));
  return tensor;
}

void checkMetadata(const Json &metadata) {
  std::string place = "\"__metadata__\"";
  const auto *members = metadata.get<JsonObject>();
  if (!members)
    fail(place, "expected an object, got " + spell(metadata));
  size_t bytes = 0;
  for (const auto &[key, value] : *members) {
    const auto *text = value.get<std::string>();
    if (!text)
      fail(place,
           "expected a text for " + quoted(key) + ", got " + spell(value));
    bytes += key.size() + text->size();
  }
  if (bytes > maxMetadataBytes)
    fail(place,
         "expected at most " + std::to_string(maxMetadataBytes) +
             " bytes, got " + std::to_string(bytes),
         Status::Limit);
}

/// Checks that tensors, ordered by their bytes, divide `dataBytes` bytes.
void checkRanges(const std::vector<StoredTensor> &tensors, uint64_t dataBytes) {
  uint64_t end = 0;
  for (const StoredTensor &tensor : tensors) {
    if (tensor.offset + tensor.length > dataBytes)
      fail(placeOf(tensor.name),
           "its bytes end at " + std::to_string(tensor.offset + tensor.length) +
               ", and the file has " + std::to_string(dataBytes) +
               " bytes of data");
    if (tensor.offset != end)
      fail(placeOf(tensor.name),
           std::string(tensor.offset < end
                           ? "its bytes overlap another tensor's"
                           : "a hole stands before its bytes") +
               ": expected them to begin at " + std::to_string(end) + ", got " +
               std::to_string(tensor.offset));
    end += tensor.length;
  }
  if (end != dataBytes)
    fail("", std::to_string(dataBytes - end) +
                 " bytes follow the last tensor and belong to none");
}

/// The length of the header. Throws if the file cannot have it.
uint64_t headerLength(std::span<const std::byte> head, uint64_t fileBytes) {
  if (head.size() < lengthBytes)
    fail("offset 0", "expected a header length of 8 bytes, got " +
                         std::to_string(head.size()) + " bytes");
  uint64_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= uint64_t(head[i]) << (8 * i);
  if (length > maxHeaderBytes)
    fail("offset 0",
         "expected a header of at most " + std::to_string(maxHeaderBytes) +
             " bytes, got " + std::to_string(length),
         Status::Limit);
  if (length > fileBytes - lengthBytes)
    fail("offset 0", "the header has " + std::to_string(length) +
                         " bytes, and the file " + std::to_string(fileBytes));
  return length;
}
} // namespace

int64_t StoredTensor::numElements() const {
  if (std::find(dims.begin(), dims.end(), 0) != dims.end())
    return 0;
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

std::vector<StoredTensor> parseSafetensors(std::span<const std::byte> head,
                                           uint64_t fileBytes) {
  uint64_t length = headerLength(head, fileBytes);
  std::string_view text(reinterpret_cast<const char *>(head.data()),
                        head.size());
  text = text.substr(lengthBytes, length);
  if (text.empty() || text.front() != '{')
    fail("offset 8", "expected the header to begin with '{'");
  Json header = parseJson(text);
  uint64_t dataBytes = fileBytes - lengthBytes - length;
  std::vector<StoredTensor> tensors;
  for (const auto &[name, entry] : *header.get<JsonObject>())
    if (name == "__metadata__")
      checkMetadata(entry);
    else
      tensors.push_back(readEntry(name, entry));
  // An empty tensor comes before the one that begins at the same byte.
  std::sort(tensors.begin(), tensors.end(),
            [](const StoredTensor &a, const StoredTensor &b) {
              return std::tie(a.offset, a.length, a.name) <
                     std::tie(b.offset, b.length, b.name);
            });
  checkRanges(tensors, dataBytes);
  for (StoredTensor &tensor : tensors)
    tensor.offset += lengthBytes + length;
  return tensors;
}

std::vector<StoredTensor> readSafetensors(const OpenFile &file) {
  std::vector<std::byte> head(std::min<uint64_t>(file.size(), lengthBytes));
  auto extend = [&](size_t bytes) {
    size_t had = head.size();
    head.resize(bytes);
    if (!file.read(had, head.data() + had, bytes - had))
      fail("", "the file cannot be read: " + systemError(), Status::Io);
  };
  size_t first = head.size();
  head.clear();
  extend(first);
  if (first == lengthBytes)
    extend(lengthBytes + headerLength(head, file.size()));
  return parseSafetensors(head, file.size());
}

} // namespace tenon::hf
