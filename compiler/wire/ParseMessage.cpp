// Checks size and envelope, then parses with protobuf.
#include "compiler/wire/ParseMessage.h"

#include "compiler/files/ReadFailure.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace tenon::wire {

/// A message for known formats that are no protobuf, from the first bytes.
static const char *formatOf(std::span<const std::byte> bytes) {
  std::string_view text = asText(bytes);
  if (text.starts_with("PK\3\4"))
    return "this is a ZIP archive";
  if (text.starts_with("\x7f"
                       "ELF"))
    return "this is an ELF file";
  if (text.starts_with("{") || text.starts_with("["))
    return "this looks like JSON";
  if (text.starts_with("\x89HDF"))
    return "this is an HDF5 file";
  return "";
}

void parseMessage(std::span<const std::byte> bytes, const MessageSchema &schema,
                  const char *what, google::protobuf::MessageLite &message) {
  if (bytes.size() > maxMessageBytes)
    fail("",
         "expected a file of at most 2 GiB, got " +
             std::to_string(bytes.size()) + " bytes",
         Status::Limit);
  std::string skeleton;
  try {
    skeleton = checkEnvelope(bytes, schema);
  } catch (WireError &error) {
    if (error.status == Status::InvalidModel)
      throw ReadFailure{Status::InvalidModel, error.place,
                        std::string("not ") + what + ": " + error.text,
                        formatOf(bytes)};
    throw;
  }
  // Protobuf's own limit. The skeleton has no weights, only names and numbers.
  if (skeleton.size() > INT32_MAX)
    fail("", "expected at most 2 GiB of structure, got more", Status::Limit);
  google::protobuf::io::ArrayInputStream stream(
      skeleton.data(), static_cast<int>(skeleton.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  // The envelope check has limited the depth already.
  coded.SetRecursionLimit(200);
  if (!message.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    fail("", std::string("not ") + what + ": protobuf refuses it");
}

} // namespace tenon::wire
