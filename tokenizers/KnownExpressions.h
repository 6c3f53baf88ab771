// The pre-tokenizers' expressions of GPT-2, Llama 3 and Qwen by loops of our
// own. They take linear time and constant memory, where a regular expression
// keeps a place to return to for each character of a run.
#ifndef TENON_TOKENIZERS_KNOWNEXPRESSIONS_H
#define TENON_TOKENIZERS_KNOWNEXPRESSIONS_H

#include <cstddef>
#include <string_view>

namespace tenon::tokenizers {

/// The end of the match at `at`. Every character of a text belongs to a match.
using FindEnd = size_t (*)(std::string_view text, size_t at);

size_t endByGpt2(std::string_view text, size_t at);
size_t endByLlama3(std::string_view text, size_t at);
size_t endByQwen2(std::string_view text, size_t at);

inline constexpr std::string_view gpt2Expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

inline constexpr std::string_view qwen2Expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr std::string_view llama3Expression =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

/// The loop that does what `pattern` says; null if it is none of the three.
FindEnd findKnownExpression(std::string_view pattern);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_KNOWNEXPRESSIONS_H
