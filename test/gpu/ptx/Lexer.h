// Splits a PTX text into tokens.
#ifndef TENON_TEST_GPU_PTX_LEXER_H
#define TENON_TEST_GPU_PTX_LEXER_H

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::ptx {

struct Token {
  enum class Kind {
    Word,    // mov, %r1, $L__BB0_1
    Dotted,  // .global
    Integer, // `bits`
    Float32, // 0f3F800000
    Float64, // 0d3FF0000000000000
    String,
    Mark, // one character
    End,
  };
  Kind kind = Kind::End;
  std::string text;
  uint64_t bits = 0;
  int line = 0;
};

/// All tokens, the last of kind End. Throws TextError.
std::vector<Token> tokens(const std::string &text);

} // namespace tenon::ptx

#endif
