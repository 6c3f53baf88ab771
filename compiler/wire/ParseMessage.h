// Parses a file's bytes as a protobuf message, after the envelope check.
#ifndef TENON_COMPILER_WIRE_PARSEMESSAGE_H
#define TENON_COMPILER_WIRE_PARSEMESSAGE_H

#include "compiler/wire/Envelope.h"

#include <google/protobuf/message_lite.h>

namespace tenon::wire {

constexpr uint64_t maxMessageBytes = uint64_t(2) << 30;

/// Says what a file is and what to pass instead, if its first bytes are those
/// of a known format that is no protobuf message; otherwise empty.
const char *helpForFormat(std::span<const std::byte> bytes);

/// Checks `bytes` against `schema` and parses them into `message`. `what` names
/// the format in errors: "an ONNX model". Throws ReadFailure and WireError.
void parseMessage(std::span<const std::byte> bytes, const MessageSchema &schema,
                  const char *what, google::protobuf::MessageLite &message);

} // namespace tenon::wire

#endif // TENON_COMPILER_WIRE_PARSEMESSAGE_H
