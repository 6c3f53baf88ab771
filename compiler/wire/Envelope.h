// Checks a serialized message against a schema before a parser sees it, and
// cuts the weights out. Afterwards the message is well formed and within limits
// of depth, count and length, its names are UTF-8 without NUL, and records of
// places in the file stand instead of payloads, so parsing it costs memory for
// structure only.
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
  Drop,    ///< checked, then left out
  Payload, ///< located, then left out
  Refuse   ///< of a later version, not to be ignored unless empty
};

/// A limit of a field: entries of a repeated field in one message, else bytes.
struct FieldLimit {
  uint64_t max = UINT64_MAX;
  const char *what = ""; ///< `rank`, `external_data entries`
};

struct FieldSchema {
  uint32_t number;
  const char *name;
  FieldKind kind;
  bool repeated = false; ///< numbers: packed or not
  const MessageSchema *message = nullptr;
  FieldUse use = FieldUse::Keep;
  FieldLimit limit = {};
  uint64_t maxValue = UINT64_MAX; ///< varints: enums we know the end of
};

struct MessageSchema {
  const char *name;
  std::span<const FieldSchema> fields;
  FieldLimit total = {};      ///< of such messages in one file
  bool nests = false;         ///< counts for the limit of nesting
  uint32_t payloadRecord = 0; ///< the bytes field that carries PayloadRecords
};

/// Where the elements of one field lie: the elements alone if the field is
/// packed, else a run of whole tagged fields.
struct PayloadRecord {
  uint32_t field;
  uint32_t packed; ///< also 1 for a singular bytes field
  uint64_t offset; ///< in the file
  uint64_t length;
  uint64_t count; ///< elements; for a singular bytes field 1

  std::string encode() const;
  static PayloadRecord decode(std::string_view bytes);
};

struct EnvelopeLimits {
  unsigned depth = 100;                   ///< of messages in messages
  unsigned nesting = 32;                  ///< of messages that nest
  uint64_t textBytes = uint64_t(4) << 20; ///< of a name
  uint64_t parts = uint64_t(1) << 24;     ///< messages and strings in all
};

/// The bytes to give to a parser. Throws WireError.
std::string checkEnvelope(std::span<const std::byte> file,
                          const MessageSchema &schema,
                          const EnvelopeLimits &limits = {});

} // namespace tenon::wire

#endif // TENON_COMPILER_WIRE_ENVELOPE_H
