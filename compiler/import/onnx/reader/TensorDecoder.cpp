// A tensor has one payload field, which must be that of its type, with exactly
// as many elements as its shape has.
#include "compiler/import/onnx/reader/TensorDecoder.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/import/onnx/reader/OnnxEnvelope.h"
#include "compiler/wire/WireReader.h"

#include <cstring>

namespace tenon::onnx {

/// Payloads up to this size are copied from the file, because the importer may
/// need their values.
static constexpr uint64_t inlineLimit = 1024;
/// The greatest size of payloads decoded from varints, in addition to the size
/// of the file.
static constexpr uint64_t expansionLimit = uint64_t(256) << 20;

ElementType elementTypeOf(int64_t dataType, const std::string &place) {
  if (std::optional<ElementType> type = elementTypeNumbered(dataType))
    return *type;
  if (opsetOfLaterType(dataType))
    fail(place,
         "element type " + std::to_string(dataType) +
             " of TensorProto.DataType is not supported",
         Status::Unsupported);
  fail(place, "expected an element type of TensorProto.DataType " +
                  elementTypeNumbers() + ", got " + std::to_string(dataType));
}

uint64_t checkedBytes(const std::vector<int64_t> &dims, uint64_t size,
                      const std::string &place) {
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      fail(place, "expected extents of at least 0, got " + std::to_string(dim));
    empty |= dim == 0;
  }
  if (empty)
    return 0;
  uint64_t bytes = size;
  for (int64_t dim : dims)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(dim), &bytes) ||
        bytes > INT64_MAX)
      fail(place, "expected a size below 2^63 bytes, got a shape whose size "
                  "overflows");
  return bytes;
}

static const char *fieldName(uint32_t field) {
  switch (field) {
  case FloatData:
    return "float_data";
  case Int32Data:
    return "int32_data";
  case StringData:
    return "string_data";
  case Int64Data:
    return "int64_data";
  case DoubleData:
    return "double_data";
  case Uint64Data:
    return "uint64_data";
  }
  return "raw_data";
}

/// The typed field for elements of `type`, for a tensor without raw_data.
static PayloadField fieldOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
  case ElementType::Complex64:
    return FloatData;
  case ElementType::F64:
  case ElementType::Complex128:
    return DoubleData;
  case ElementType::I64:
    return Int64Data;
  case ElementType::U32:
  case ElementType::U64:
    return Uint64Data;
  case ElementType::String:
    return StringData;
  default:
    return Int32Data;
  }
}

struct TensorDecoder::Payload {
  uint32_t field = 0; ///< 0: none
  uint64_t count = 0; ///< elements, or bytes of raw_data
  std::vector<wire::PayloadRecord> records;

  Payload(const ::onnx::TensorProto &proto, const std::string &place) {
    wire::PayloadRecord raw{};
    for (const std::string &bytes : proto.string_data()) {
      auto record = wire::PayloadRecord::decode(bytes);
      if (record.field == RawData) {
        raw = record; // if a singular field occurs twice, the last one holds
        continue;
      }
      if (record.count == 0)
        continue;
      claim(record.field, place);
      records.push_back(record);
      count += record.count;
    }
    if (raw.length == 0)
      return;
    claim(RawData, place);
    records = {raw};
    count = raw.length;
  }

private:
  void claim(uint32_t which, const std::string &place) {
    if (field != 0 && field != which)
      fail(place, std::string("expected one payload field, got ") +
                      fieldName(field) + " and " + fieldName(which));
    field = which;
  }
};

void TensorDecoder::adopt(Tensor &tensor, const FileRange &range,
                          const std::string &place) {
  if (range.length > inlineLimit && tensor.type != ElementType::Bool) {
    tensor.payload = range;
    return;
  }
  InlineBytes bytes(range.length);
  if (!model.files[range.file].file->read(range.offset, bytes.data(),
                                          bytes.size()))
    fail(place, "cannot read '" + model.files[range.file].path + "'",
         Status::Io);
  tensor.payload = std::move(bytes);
}

void TensorDecoder::decodeExternal(Tensor &tensor,
                                   const ::onnx::TensorProto &proto,
                                   const Payload &payload,
                                   const std::string &place) {
  if (payload.field != 0)
    fail(place, std::string("expected no payload beside external data, got ") +
                    fieldName(payload.field));
  if (tensor.type == ElementType::String)
    fail(place, "expected strings in string_data, got external data");
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto &entry : proto.external_data())
    entries.emplace_back(entry.key(), entry.value());
  adopt(tensor, external.locate(entries, tensor.numBytes(), place), place);
}

void TensorDecoder::decodeStrings(Tensor &tensor, const Payload &payload) {
  StringElements strings;
  strings.reserve(payload.count);
  for (const wire::PayloadRecord &record : payload.records) {
    wire::WireReader reader(file.subspan(record.offset, record.length));
    while (!reader.atEnd()) {
      reader.readTag();
      strings.emplace_back(wire::asText(reader.readLengthDelimited()));
    }
  }
  tensor.payload = std::move(strings);
}

/// True if the varint `value`, an int32 with sign extension, is a value of
/// `type`.
static bool fits(ElementType type, int64_t value) {
  switch (type) {
  case ElementType::I8:
    return value == static_cast<int8_t>(value);
  case ElementType::U8:
    return value == static_cast<uint8_t>(value);
  case ElementType::I16:
    return value == static_cast<int16_t>(value);
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return value == static_cast<uint16_t>(value);
  case ElementType::U32:
    return value == static_cast<uint32_t>(value);
  default:
    return true;
  }
}

void TensorDecoder::decodeTyped(Tensor &tensor, const Payload &payload,
                                const std::string &place) {
  const wire::PayloadRecord &first = payload.records.front();
  bool fixed = payload.field == FloatData || payload.field == DoubleData;
  if (fixed && payload.records.size() == 1 && first.packed && mayRefer) {
    adopt(tensor, {0, first.offset, first.length}, place);
    return;
  }
  expanded += tensor.numBytes();
  if (expanded > expansionLimit + file.size())
    fail(place,
         "expected at most " + std::to_string(expansionLimit >> 20) +
             " MiB of numbers in typed fields, got more",
         Status::Limit);

  InlineBytes bytes(tensor.numBytes());
  unsigned size =
      fixed ? (payload.field == FloatData ? 4 : 8) : elementSize(tensor.type);
  std::byte *to = bytes.data();
  for (const wire::PayloadRecord &record : payload.records) {
    wire::WireReader reader(file.subspan(record.offset, record.length),
                            record.offset);
    while (!reader.atEnd()) {
      if (!record.packed)
        reader.readTag();
      uint64_t value;
      if (payload.field == FloatData)
        value = reader.readFixed32();
      else if (payload.field == DoubleData)
        value = reader.readFixed64();
      else
        value = reader.readVarint();
      if (payload.field == Int32Data)
        value = static_cast<int64_t>(static_cast<int32_t>(value));
      if (!fixed && !fits(tensor.type, static_cast<int64_t>(value)))
        fail(place, std::string("expected values of ") +
                        elementTypeName(tensor.type) + ", got " +
                        std::to_string(static_cast<int64_t>(value)));
      if (tensor.type == ElementType::Bool)
        value = value != 0;
      std::memcpy(to, &value, size);
      to += size;
    }
  }
  tensor.payload = std::move(bytes);
}

Tensor TensorDecoder::decode(const ::onnx::TensorProto &proto,
                             const std::string &place) {
  Tensor tensor;
  tensor.name = proto.name();
  if (proto.has_segment())
    fail(place, "tensors cut into segments are not supported",
         Status::Unsupported);
  tensor.type = elementTypeOf(proto.data_type(), place);
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  // Strings have no element size, so only their number must not overflow.
  unsigned size = elementSize(tensor.type);
  uint64_t need = checkedBytes(tensor.dims, size ? size : 1, place);

  Payload payload(proto, place);
  if (proto.data_location() == ::onnx::TensorProto_DataLocation_EXTERNAL) {
    decodeExternal(tensor, proto, payload, place);
  } else if (payload.field == RawData) {
    if (tensor.type == ElementType::String)
      fail(place, "expected strings in string_data, got raw_data");
    if (payload.count != need)
      fail(place, "expected " + std::to_string(need) +
                      " bytes of raw_data for the tensor's shape and type, "
                      "got " +
                      std::to_string(payload.count));
    uint64_t offset = payload.records.front().offset;
    if (mayRefer) {
      adopt(tensor, {0, offset, need}, place);
    } else {
      auto bytes = file.subspan(offset, need);
      tensor.payload = InlineBytes(bytes.begin(), bytes.end());
    }
  } else {
    bool complex = tensor.type == ElementType::Complex64 ||
                   tensor.type == ElementType::Complex128;
    uint64_t elements = (size ? need / size : need) * (complex ? 2 : 1);
    PayloadField wanted = fieldOf(tensor.type);
    if (payload.field != 0 && payload.field != wanted)
      fail(place, std::string("expected the elements of ") +
                      elementTypeName(tensor.type) + " in " +
                      fieldName(wanted) + " or raw_data, got " +
                      fieldName(payload.field));
    if (payload.count != elements)
      fail(place, "expected " + std::to_string(elements) +
                      " values for the tensor's shape, got " +
                      std::to_string(payload.count));
    if (tensor.type == ElementType::String)
      decodeStrings(tensor, payload);
    else if (elements != 0)
      decodeTyped(tensor, payload, place);
  }
  // Any nonzero byte is true, and becomes 1.
  if (tensor.type == ElementType::Bool)
    for (std::byte &byte : std::get<InlineBytes>(tensor.payload))
      byte = std::byte{byte != std::byte{0}};
  return tensor;
}

SparseTensor TensorDecoder::decode(const ::onnx::SparseTensorProto &proto,
                                   const std::string &place) {
  SparseTensor tensor;
  if (!proto.has_values())
    fail(place, "expected a sparse tensor's values, got none");
  tensor.values = decode(proto.values(), place);
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  unsigned size = elementSize(tensor.values.type);
  checkedBytes(tensor.dims, size ? size : 1, place);
  if (proto.has_indices()) {
    tensor.indices = decode(proto.indices(), place);
  } else {
    tensor.indices.type = ElementType::I64;
    tensor.indices.dims = {0};
  }
  checkSparse(tensor, place);
  return tensor;
}

void TensorDecoder::checkSparse(const SparseTensor &tensor,
                                const std::string &place) {
  const Tensor &values = tensor.values, &indices = tensor.indices;
  if (values.dims.size() != 1)
    fail(place, "expected the values of a sparse tensor to have rank 1, got " +
                    std::to_string(values.dims.size()));
  if (indices.type != ElementType::I64)
    fail(place, std::string("expected the indices of a sparse tensor to be "
                            "i64, got ") +
                    elementTypeName(indices.type));
  int64_t count = values.dims[0], rank = tensor.dims.size();
  bool linear = indices.dims == std::vector<int64_t>{count};
  if (!linear && indices.dims != std::vector<int64_t>{count, rank})
    fail(place, "expected sparse indices of shape [" + std::to_string(count) +
                    "] or [" + std::to_string(count) + ", " +
                    std::to_string(rank) + "], got rank " +
                    std::to_string(indices.dims.size()));
  if (count == 0)
    return;

  auto bytes = model.bytes(indices);
  if (!bytes)
    fail(place, "cannot read the indices of the sparse tensor", Status::Io);
  int64_t total = checkedBytes(tensor.dims, 1, place), last = -1;
  const std::byte *at = bytes->data();
  auto next = [&](int64_t below) {
    int64_t index;
    std::memcpy(&index, at, sizeof(index));
    at += sizeof(index);
    if (index < 0 || index >= below)
      fail(place, "expected a sparse index from 0 to " +
                      std::to_string(below - 1) + ", got " +
                      std::to_string(index));
    return index;
  };
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = 0;
    if (linear)
      position = next(total);
    else
      for (int64_t dim : tensor.dims)
        position = position * dim + next(dim);
    if (position <= last)
      fail(place, "expected sparse indices in ascending order, got " +
                      std::to_string(position) + " after " +
                      std::to_string(last));
    last = position;
  }
}

} // namespace tenon::onnx
