// Checks a serialized message against a schema before protobuf parses it, and
// removes the weights. The result is well formed and within limits of depth,
// count and length. Its names are UTF-8 without NUL. Records with the position
// of each payload in the file replace the payloads, so parsing needs memory
// only for the structure.
#ifndef TENON_COMPILER_WIRE_ENVELOPE_H
#define TENON_COMPILER_WIRE_ENVELOPE_H

#include "compiler/wire/WireReader.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tenon::wire {

struct MessageSchema;

enum class FieldKind { Varint, Fixed32, Fixed64, Bytes, Text, Message };

enum class FieldUse {
  Keep,
  Drop,    ///< checked, then removed
  Payload, ///< position recorded, then removed
  Refuse   ///< of a later version; an error unless empty
};

/// A limit of a field: the entries of a repeated field in one message, else the
/// bytes.
struct FieldLimit {
  uint64_t max = UINT64_MAX;
  const char *what = ""; ///< for messages: `rank`, `external_data entries`
};

struct FieldSchema {
  uint32_t number;
  const char *name;
  FieldKind kind;
  bool repeated = false; ///< numbers may be packed or not
  const MessageSchema *message = nullptr;
  FieldUse use = FieldUse::Keep;
  FieldLimit limit = {};
  uint64_t maxValue = UINT64_MAX; ///< of varints: the last value of an enum
};

struct MessageSchema {
  const char *name;
  std::span<const FieldSchema> fields;
  FieldLimit total = {};      ///< limit for all such messages of one file
  bool nests = false;         ///< counts for EnvelopeLimits::nesting
  uint32_t payloadRecord = 0; ///< bytes field that gets PayloadRecords
};

/// The position of a field's elements in the file: the elements of a packed
/// field, else a run of complete tagged fields.
struct PayloadRecord {
  uint32_t field;
  uint32_t packed; ///< also 1 for a singular bytes field
  uint64_t offset; ///< in the file
  uint64_t length;
  uint64_t count; ///< elements; 1 for a singular bytes field

  std::string encode() const;
  static PayloadRecord decode(std::string_view bytes);
};

struct EnvelopeLimits {
  unsigned depth = 100;  ///< levels of messages within messages
  unsigned nesting = 32; ///< levels of messages whose schema `nests`
  uint64_t textBytes = uint64_t(4) << 20; ///< bytes of one name
  uint64_t parts = uint64_t(1) << 24; ///< number of all messages and strings
};

/// The skeleton of `file` for a parser. Throws WireError.
std::string checkEnvelope(std::span<const std::byte> file,
                          const MessageSchema &schema,
                          const EnvelopeLimits &limits = {});

} // namespace tenon::wire

#endif // TENON_COMPILER_WIRE_ENVELOPE_H
