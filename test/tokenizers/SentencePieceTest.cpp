// Files of the sentencepiece library: what their class adds, and those that
// contradict themselves or ask for something else.
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace tenon::test;
using Ids = std::vector<uint32_t>;
using NamedFiles = std::map<std::string, std::string>;

static constexpr auto invalid = TENON_TOKENIZER_INVALID;
static constexpr auto unsupported = TENON_TOKENIZER_UNSUPPORTED;
static constexpr auto limit = TENON_TOKENIZER_LIMIT;

static std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7)
    bytes += char(value | 0x80);
  return bytes + char(value);
}

static std::string number(unsigned field, uint64_t value) {
  return varint(field << 3) + varint(value);
}

static std::string message(unsigned field, const std::string &content) {
  return varint(field << 3 | 2) + varint(content.size()) + content;
}

static std::string piece(const std::string &text, float score, int type) {
  char bytes[4];
  std::memcpy(bytes, &score, 4);
  return message(1, message(1, text) + varint(2 << 3 | 5) +
                        std::string(bytes, 4) + number(3, type));
}

static std::string pieces() {
  return piece("<pad>", 0, 3) + piece("</s>", 0, 3) + piece("<unk>", 0, 2) +
         piece("\u2581a", -1, 1) + piece("\u2581", -2, 1) + piece("b", -2, 1) +
         piece("<x>", 0, 4) + piece("ab", 5, 5);
}

static NamedFiles model(const std::string &content,
                        const std::string &config = "{\"extra_ids\": 2}") {
  return {{"spiece.model", content}, {"tokenizer_config.json", config}};
}

static void expectRefusal(const NamedFiles &files,
                          tenon_tokenizer_status status,
                          const std::string &wanted) {
  Session session(files);
  EXPECT_FALSE(session.isOpen()) << wanted;
  EXPECT_EQ(session.getStatus(), status) << session.getError();
  EXPECT_NE(session.getError().find(wanted), std::string::npos)
      << session.getError() << "\nexpected: " << wanted;
}

TEST(SentencePiece, TokensOfT5) {
  Session session(model(pieces()));
  ASSERT_TRUE(session.isOpen()) << session.getError();
  EXPECT_EQ(session.size(), 10u);
  EXPECT_EQ(session.token(8), "<extra_id_1>");
  EXPECT_EQ(session.token(9), "<extra_id_0>");
  // A symbol of the user is found, a piece that is unused is not.
  EXPECT_EQ(session.encode("  a  b<x>ab", true), (Ids{3, 4, 5, 6, 2, 5, 1}));
  EXPECT_EQ(session.encode("a <extra_id_0> a</s>", false), (Ids{3, 9, 3, 1}));
  EXPECT_EQ(session.encode("", true), (Ids{1}));
  EXPECT_EQ(session.decode({4, 3, 9, 3, 2, 1}, false),
            "a<extra_id_0> a<unk></s>");
  EXPECT_EQ(session.decode({4, 3, 9, 3, 2, 1}, true), "a a");
}

TEST(SentencePiece, ExtraIds) {
  Session plain(NamedFiles{{"spiece.model", pieces()}});
  ASSERT_TRUE(plain.isOpen()) << plain.getError();
  EXPECT_EQ(plain.token(107), "<extra_id_0>");
  Session none(model(pieces(), "{\"extra_ids\": 0}"));
  EXPECT_EQ(none.size(), 8u);
  Session said(model(pieces(), R"({"tokenizer_class": "T5TokenizerFast",
      "added_tokens_decoder": {"8": {"content": "<extra_id_0>",
                                     "special": true}}})"));
  ASSERT_TRUE(said.isOpen()) << said.getError();
  EXPECT_EQ(said.encode("<extra_id_0>", false), (Ids{8}));
  expectRefusal(model(pieces(), R"({"extra_ids": 3,
      "additional_special_tokens": ["<extra_id_0>", "<extra_id_1>"]})"),
                invalid, "expected 3 extra ids, got 2");
  for (const char *count : {"-1", "10001"})
    expectRefusal(
        model(pieces(), std::string("{\"extra_ids\": ") + count + "}"), limit,
        "extra_ids: expected 0 to 10000");
}

TEST(SentencePiece, ClassesThatAreNoT5) {
  expectRefusal(model(pieces(), R"({"tokenizer_class": "AlbertTokenizer"})"),
                unsupported, "got 'AlbertTokenizer'");
  expectRefusal(model(pieces(), R"({"legacy": false})"), unsupported,
                "legacy: expected true");
  expectRefusal(model(piece("<unk>", 0, 2)), invalid,
                "expected the token for the end of a text, '</s>'");
}

TEST(SentencePiece, ModelsThatAreRefused) {
  expectRefusal(model(""), invalid, "expected one piece of the type unknown");
  expectRefusal(model(pieces() + piece("<u>", 0, 2)), invalid, "got 2");
  expectRefusal(model(pieces() + piece("b", 0, 1)), invalid,
                "pieces[8]: expected each token once, got 'b' again");
  expectRefusal(model(pieces() + piece("", 0, 1)), invalid,
                "pieces[8]: expected a text in UTF-8 that is not empty");
  expectRefusal(model(pieces() + piece("\xff", 0, 1)), invalid, "UTF-8");
  expectRefusal(model(pieces() + piece("n", NAN, 1)), invalid,
                "pieces[8].score: expected a finite number");
  expectRefusal(model(pieces() + piece("n", 0, 7)), invalid,
                "pieces[8].type: expected 1 to 6, got 7");
  expectRefusal(model(pieces() + piece("<0x00>", 0, 6)), invalid,
                "trainer_spec.byte_fallback: expected true");
  expectRefusal(model(pieces() + message(2, number(35, 1))), invalid,
                "there is no '<0x00>'");
  expectRefusal(model(pieces() + message(2, number(3, 2))), unsupported,
                "trainer_spec.model_type: expected Unigram, got BPE");
  expectRefusal(model(pieces() + message(2, number(3, 99))), unsupported,
                "got 99");
  expectRefusal(model(pieces() + message(3, message(2, "abcdefgh"))), invalid,
                "normalizer_spec.precompiled_charsmap: expected a trie");
  expectRefusal(model(pieces() + message(5, message(2, "x"))), unsupported,
                "denormalizer_spec.precompiled_charsmap");
  expectRefusal(model(pieces() + piece(std::string(257, 'x'), 0, 1)), limit,
                "pieces[8]: expected a token of at most 256 bytes");
  std::string many;
  for (const std::string each = piece("x", 0, 1);
       many.size() <= (size_t(1) << 20) * each.size();)
    many += each;
  expectRefusal(model(many), limit, "expected at most 1048576 pieces");
}

TEST(SentencePiece, BytesThatAreNoMessage) {
  for (const auto &[bytes, wanted] :
       {std::pair<std::string, const char *>{"\x0a\x05", "expected 5 bytes"},
        {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "64 bits"},
        {"\x0b", "expected a field of kind"},
        {"\x80", "expected a number, got the end"},
        {"\x08\x01", "expected another kind of the field 1"},
        {"not a message", "expected"}})
    expectRefusal(model(bytes), invalid, wanted);
  // Fields of later versions are skipped.
  Session session(model(pieces() + number(4000, 5) + message(4001, "x") +
                        varint(4002 << 3 | 1) + std::string(8, 'x')));
  EXPECT_TRUE(session.isOpen()) << session.getError();
}
