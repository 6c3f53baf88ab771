// Decodes base64, in which tokenizer files have binary tables.
#ifndef TENON_TOKENIZERS_BASE64_H
#define TENON_TOKENIZERS_BASE64_H

#include <optional>
#include <string>
#include <string_view>

namespace tenon::tokenizers {

/// The bytes of `text`, which has padding and no white space; nothing if it is
/// damaged.
std::optional<std::string> decodeBase64(std::string_view text);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_BASE64_H
