// Reads the protobuf wire format, as described at
// protobuf.dev/programming-guides/encoding.
#include "compiler/wire/WireReader.h"

#include <vector>

namespace tenon::wire {

std::span<const std::byte> WireReader::take(uint64_t size) {
  if (size > bytes.size() - pos)
    fail(offset(), "expected " + std::to_string(size) +
                       " more bytes in the message, got " +
                       std::to_string(bytes.size() - pos));
  auto result = bytes.subspan(pos, size);
  pos += size;
  return result;
}

uint64_t WireReader::readVarint() {
  uint64_t start = offset(), value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    auto byte = static_cast<uint8_t>(take(1)[0]);
    if (shift == 63 && byte > 1)
      break;
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      return value;
  }
  fail(start, "expected a varint of at most 10 bytes and 64 bits, got a longer "
              "one");
}

Tag WireReader::readTag() {
  uint64_t start = offset(), value = readVarint();
  uint64_t field = value >> 3;
  if (field == 0 || field > (1u << 29) - 1)
    fail(start, "expected a field number from 1 to 536870911, got " +
                    std::to_string(field));
  if ((value & 7) > 5)
    fail(start,
         "expected a wire type from 0 to 5, got " + std::to_string(value & 7));
  return {static_cast<uint32_t>(field), static_cast<WireType>(value & 7)};
}

uint32_t WireReader::readFixed32() {
  uint32_t value = 0;
  auto raw = take(4);
  for (int i = 0; i < 4; ++i)
    value |= uint32_t(raw[i]) << (8 * i);
  return value;
}

uint64_t WireReader::readFixed64() {
  uint64_t value = 0;
  auto raw = take(8);
  for (int i = 0; i < 8; ++i)
    value |= uint64_t(raw[i]) << (8 * i);
  return value;
}

std::span<const std::byte> WireReader::readLengthDelimited() {
  return take(readVarint());
}

void WireReader::skip(Tag tag, unsigned depth) {
  // An explicit stack of open groups, because the file determines their depth.
  std::vector<uint32_t> open;
  uint64_t start = offset();
  while (true) {
    switch (tag.type) {
    case WireType::Varint:
      readVarint();
      break;
    case WireType::Fixed64:
      take(8);
      break;
    case WireType::Length:
      readLengthDelimited();
      break;
    case WireType::Fixed32:
      take(4);
      break;
    case WireType::StartGroup:
      if (open.size() >= depth)
        fail(start, "expected groups nested at most 100 levels deep, got more",
             Status::InvalidModel);
      open.push_back(tag.field);
      break;
    case WireType::EndGroup:
      if (open.empty() || open.back() != tag.field)
        fail(start, "expected the end of an open group, got the end of group " +
                        std::to_string(tag.field));
      open.pop_back();
      break;
    }
    if (open.empty())
      return;
    start = offset();
    tag = readTag();
  }
}

void appendVarint(std::string &out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

} // namespace tenon::wire
