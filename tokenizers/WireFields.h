// Reads the fields of a message in the wire format of protobuf. It refers to
// the bytes, copies nothing and never leaves them.
#ifndef TENON_TOKENIZERS_WIREFIELDS_H
#define TENON_TOKENIZERS_WIREFIELDS_H

#include "tokenizers/Failure.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tenon::tokenizers {

class WireFields {
public:
  enum class Kind { Varint, Fixed64, Bytes, Fixed32 };

  struct Field {
    uint64_t number = 0;
    Kind kind = Kind::Varint;
    uint64_t value = 0;     ///< unless Bytes
    std::string_view bytes; ///< of Bytes
  };

  /// The fields of `message`, a part of the file `whole`. `file` is its name.
  WireFields(std::string_view whole, std::string_view message,
             const std::string &file)
      : whole(whole), rest(message), file(file) {}

  /// The next field, or nothing at the end. Throws Failure.
  std::optional<Field> next();

  /// Throws Failure unless `field` is of this kind.
  void expect(const Field &field, Kind kind) const;

  /// The fields of a message in `field`.
  WireFields inside(const Field &field) const {
    return WireFields(whole, field.bytes, file);
  }

private:
  [[noreturn]] void fail(const std::string &text) const;
  uint64_t takeVarint();
  std::string_view take(uint64_t bytes);

  std::string_view whole, rest;
  const std::string &file;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_WIREFIELDS_H
