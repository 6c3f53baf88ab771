// A tag says the number and the kind of a field; groups are of no use and
// refused.
#include "tokenizers/WireFields.h"

namespace tenon::tokenizers {

void WireFields::fail(const std::string &text) const {
  throw Failure{TENON_TOKENIZER_INVALID,
                file + ": offset " +
                    std::to_string(rest.data() - whole.data()) + ": " + text};
}

uint64_t WireFields::takeVarint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (rest.empty())
      fail("expected a number, got the end of the message");
    uint8_t byte = rest[0];
    if (shift == 63 && byte > 1)
      fail("expected a number of at most 64 bits");
    rest.remove_prefix(1);
    value |= uint64_t(byte & 0x7f) << shift;
    if (byte < 0x80)
      break;
  }
  return value;
}

std::string_view WireFields::take(uint64_t bytes) {
  if (bytes > rest.size())
    fail("expected " + std::to_string(bytes) + " bytes, got " +
         std::to_string(rest.size()));
  std::string_view taken = rest.substr(0, bytes);
  rest.remove_prefix(bytes);
  return taken;
}

std::optional<WireFields::Field> WireFields::next() {
  if (rest.empty())
    return std::nullopt;
  uint64_t tag = takeVarint();
  Field field;
  field.number = tag >> 3;
  auto fixed = [&](size_t bytes) {
    uint64_t value = 0;
    std::string_view taken = take(bytes);
    for (size_t i = bytes; i-- > 0;)
      value = value << 8 | static_cast<uint8_t>(taken[i]);
    return value;
  };
  switch (tag & 7) {
  case 0:
    field.kind = Kind::Varint;
    field.value = takeVarint();
    break;
  case 1:
    field.kind = Kind::Fixed64;
    field.value = fixed(8);
    break;
  case 2:
    field.kind = Kind::Bytes;
    field.bytes = take(takeVarint());
    break;
  case 5:
    field.kind = Kind::Fixed32;
    field.value = fixed(4);
    break;
  default:
    fail("expected a field of kind 0, 1, 2 or 5, got " +
         std::to_string(tag & 7));
  }
  return field;
}

void WireFields::expect(const Field &field, Kind kind) const {
  if (field.kind != kind)
    fail("expected another kind of the field " + std::to_string(field.number));
}

} // namespace tenon::tokenizers
