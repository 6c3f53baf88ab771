// The text of each token of a byte-level vocabulary, so that a program without
// a tokenizer can write text.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_TOKENPIECES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_TOKENPIECES_H

#include "compiler/files/Json.h"

#include <cstdint>
#include <vector>

namespace tenon::hf {

/// A table with one entry for each id from 0 on: a byte with the length, then
/// the bytes of the token. `vocabulary` is an object with the id of each token,
/// whose characters stand for bytes as in GPT-2. Special tokens such as
/// <|endoftext|> and unused ids have no text. Empty if a character stands for
/// no byte, a token has more than 255 bytes, or the table is over `mostBytes`.
/// Throws ReadFailure if an id is none.
std::vector<uint8_t> makeTokenPieces(const Json &vocabulary, size_t mostBytes);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_TOKENPIECES_H
