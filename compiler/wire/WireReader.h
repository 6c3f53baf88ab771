// Reads the protobuf wire format from untrusted bytes. Every read stays within
// the span, and every error has the offset of its byte.
#ifndef TENON_COMPILER_WIRE_WIREREADER_H
#define TENON_COMPILER_WIRE_WIREREADER_H

#include "compiler/files/ReadFailure.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tenon::wire {

/// Thrown inside readers. It must not leave them.
struct WireError : ReadFailure {
  WireError(Status status, uint64_t offset, std::string text)
      : ReadFailure{status, "offset " + std::to_string(offset),
                    std::move(text)},
        offset(offset) {}

  uint64_t offset; ///< from the start of the file
};

enum class WireType : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Length = 2,
  StartGroup = 3,
  EndGroup = 4,
  Fixed32 = 5
};

struct Tag {
  uint32_t field;
  WireType type;
};

/// Reads one message. `base` is the offset of the span in the file, for error
/// messages and payload positions.
class WireReader {
public:
  WireReader(std::span<const std::byte> bytes, uint64_t base = 0)
      : bytes(bytes), base(base) {}

  bool atEnd() const { return pos == bytes.size(); }
  uint64_t offset() const { return base + pos; }

  /// Throws WireError for field numbers 0 and above 2^29-1, and for wire types
  /// 6 and 7.
  Tag readTag();
  /// Throws WireError for more than ten bytes or 64 bits.
  uint64_t readVarint();
  uint32_t readFixed32();
  uint64_t readFixed64();
  /// The bytes of a length-delimited field. Throws WireError if fewer are left.
  std::span<const std::byte> readLengthDelimited();
  /// Skips the value of an unknown field. Throws WireError if groups nest
  /// deeper than `depth`.
  void skip(Tag tag, unsigned depth);

  [[noreturn]] void fail(uint64_t at, std::string text,
                         Status status = Status::InvalidModel) const {
    throw WireError(status, at, std::move(text));
  }

private:
  std::span<const std::byte> take(uint64_t size);

  std::span<const std::byte> bytes;
  uint64_t base;
  size_t pos = 0;
};

/// Appends `value` as the shortest varint.
void appendVarint(std::string &out, uint64_t value);

inline std::string_view asText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace tenon::wire

#endif // TENON_COMPILER_WIRE_WIREREADER_H
