// Checks size and envelope, then parses with protobuf.
#include "compiler/wire/ParseMessage.h"

#include "compiler/files/ReadFailure.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

using namespace std::string_view_literals;

namespace tenon::wire {

constexpr uint8_t maxPickleProtocol = 5;

/// The length of a safetensors header comes before its first brace.
static bool isSafetensors(std::string_view text) {
  return text.size() > 9 && text[8] == '{' && text.substr(5, 3) == "\0\0\0"sv;
}

const char *helpForFormat(std::span<const std::byte> bytes) {
  std::string_view text = asText(bytes);
  if (text.starts_with("PK\3\4"))
    return "this is a ZIP archive; for weights of PyTorch, pass the folder "
           "that has them and config.json";
  if (text.starts_with("\x80") && text.size() > 1 &&
      uint8_t(text[1]) <= maxPickleProtocol)
    return "this is a pickle, which is never run; for weights of PyTorch, pass "
           "the folder that has them and config.json";
  if (isSafetensors(text))
    return "this is a safetensors file; pass the folder that has it and "
           "config.json";
  if (text.starts_with("GGUF"))
    return "this is a GGUF file; pass the folder that has the model as "
           "safetensors and config.json";
  if (text.starts_with("\x7f"
                       "ELF"))
    return "this is an ELF file";
  if (text.starts_with("{") || text.starts_with("["))
    return "this looks like JSON; for a checkpoint, pass the folder that has "
           "config.json";
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
                        helpForFormat(bytes)};
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
