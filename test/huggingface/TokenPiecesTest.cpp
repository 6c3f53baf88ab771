// Tests the texts of a vocabulary's tokens.
#include "compiler/import/huggingface/reader/TokenPieces.h"
#include "compiler/files/ReadFailure.h"

#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::hf;

namespace {

/// The texts of the table, each with its length before it.
std::string piecesOf(std::string_view json, size_t most = 1000) {
  std::vector<uint8_t> table = makeTokenPieces(parseJson(json), most);
  return {table.begin(), table.end()};
}

TEST(TokenPieces, AreTheBytesOfTokens) {
  EXPECT_EQ(piecesOf(R"({"b": 1, "a": 0, "Ġde": 2})"), "\1a\1b\3 de");
  // Characters of other languages are bytes: the first of two, then all of one.
  EXPECT_EQ(piecesOf(R"({"Ã": 0, "Ã¼": 1, "Ċ": 2, "ł": 3})"),
            "\1\xc3\2\xc3\xbc\1\n\1\xa0");
  EXPECT_EQ(piecesOf(R"({"Ā": 0, "Ń": 1, "ġ": 2})"),
            std::string("\1\0\1\xad\1\x7f", 6));
  EXPECT_EQ(piecesOf("{}"), "");
}

TEST(TokenPieces, AreEmptyForSpecialAndUnusedIds) {
  EXPECT_EQ(piecesOf(R"({"a": 2, "<|endoftext|>": 1})"),
            std::string("\0\0\1a", 4));
  EXPECT_EQ(piecesOf(R"({"<||>": 0})"), "\4<||>");
}

TEST(TokenPieces, AreNoneOfAnotherAlphabet) {
  EXPECT_EQ(piecesOf(R"({"a": 0, "▁the": 1})"), "");
  EXPECT_EQ(piecesOf(R"({"a": 0, "a b": 1})"), "");
  EXPECT_EQ(piecesOf("{\"" + std::string(256, 'a') + "\": 0}"), "");
  EXPECT_EQ(piecesOf(R"({"abc": 0})", 4), "\3abc");
  EXPECT_EQ(piecesOf(R"({"abc": 0})", 3), "");
}

TEST(TokenPieces, RefuseWrongIds) {
  for (const char *wrong :
       {R"({"a": -1})", R"({"a": 1048576})", R"({"a": "b"})", "[]", "7"})
    EXPECT_THROW(piecesOf(wrong), ReadFailure) << wrong;
}

} // namespace
