// Unigram models and tables of replacements that are small enough to be checked
// by hand, and those that contradict themselves or ask for too much.
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"
#include "tokenizers/Graphemes.h"

#include <gtest/gtest.h>

using namespace tenon::test;
using nlohmann::json;
using Ids = std::vector<uint32_t>;

static constexpr auto invalid = TENON_TOKENIZER_INVALID;
static constexpr auto limit = TENON_TOKENIZER_LIMIT;

/// Tokens with their scores; the first is the unknown one.
static json unigram(const std::vector<std::pair<std::string, double>> &tokens) {
  json file = smallTokenizer();
  file["model"] = {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", tokens}};
  return file;
}

static json smallUnigram() {
  return unigram({{"?", 0}, {"a", -1}, {"b", -1}, {"ab", -1.5}, {"c", -2.0}});
}

static Ids idsOf(const json &file, const std::string &text) {
  Session session(asFiles(file));
  EXPECT_TRUE(session.isOpen()) << session.getError();
  return session.isOpen() ? session.encode(text, true) : Ids();
}

static void expectRefusal(const json &file, tenon_tokenizer_status status,
                          const std::string &wanted) {
  Session session(asFiles(file));
  EXPECT_FALSE(session.isOpen()) << wanted;
  EXPECT_EQ(session.getStatus(), status) << session.getError();
  EXPECT_NE(session.getError().find(wanted), std::string::npos)
      << session.getError() << "\nexpected: " << wanted;
}

TEST(Unigram, TheGreatestSumWins) {
  EXPECT_EQ(idsOf(smallUnigram(), "abcba"), (Ids{3, 4, 2, 1}));
  EXPECT_EQ(idsOf(smallUnigram(), "x\u00e9ax"), (Ids{0, 1, 0}));
  // The unknown token's own text joins unknown characters.
  EXPECT_EQ(idsOf(smallUnigram(), "x?x"), (Ids{0}));
  EXPECT_EQ(idsOf(smallUnigram(), "?"), (Ids{0}));
}

TEST(Unigram, RunsOfUnknownCharactersMayBeTokens) {
  // Two unknown characters have 2 * (50 - 10), the token has 50.
  json file = unigram({{"?", 90}, {"xy", 50}, {"a", 60}});
  EXPECT_EQ(idsOf(file, "xy"), (Ids{1}));
  EXPECT_EQ(idsOf(file, "axya"), (Ids{2, 1, 2}));
  EXPECT_EQ(idsOf(file, "xyx"), (Ids{0}));
}

// If sums are equal, the way whose last token is longer wins.
TEST(Unigram, EqualSums) {
  EXPECT_EQ(idsOf(unigram({{"?", -9}, {"a", -1}, {"aa", -2}}), "aaa"),
            (Ids{1, 2}));
  json third = unigram({{"?", -9}, {"a", -0.1}, {"aa", -0.2}});
  EXPECT_EQ(idsOf(third, "aaaa"), (Ids{2, 2}));
}

TEST(Unigram, ModelsThatAreRefused) {
  auto with = [](const char *pointer, const json &value) {
    json file = smallUnigram();
    file[json::json_pointer(pointer)] = value;
    return file;
  };
  expectRefusal(with("/model/unk_id", 5), invalid,
                "model.unk_id: expected an id below 5, got 5");
  expectRefusal(with("/model/unk_id", -1), invalid, "got -1");
  expectRefusal(with("/model/unk_id", nullptr), invalid, "a whole number");
  expectRefusal(with("/model/vocab", json::array()), invalid,
                "expected at least one token");
  expectRefusal(with("/model/vocab/1", {"a"}), invalid,
                "model.vocab[1]: expected a token and its score");
  expectRefusal(with("/model/vocab/1/1", "x"), invalid, "[text, number]");
  expectRefusal(with("/model/vocab/1/0", "b"), invalid,
                "model.vocab[2]: expected each token once, got 'b' again");
  expectRefusal(with("/model/byte_fallback", true), invalid,
                "there is no '<0x00>'");
  expectRefusal(with("/model/vocab/1/0", std::string(257, 'a')), limit,
                "expected a token of at most 256 bytes, got 257");
  std::vector<std::pair<std::string, double>> many = {{"?", 0}};
  for (int i = 0; i < 34000; ++i)
    many.push_back({std::to_string(i) + "_" + std::string(250, 'x'), 0});
  expectRefusal(unigram(many), limit, "nodes");
}

namespace {
/// A table of replacements in the making; see tokenizers/CharsMap.h.
struct Table {
  std::vector<uint32_t> units = std::vector<uint32_t>(256);
  std::string texts = std::string("b\0\u00e9\0", 5);

  /// Makes units[at] a node that `label` leads to, with children at `base`.
  void node(uint32_t at, uint32_t base, uint8_t label, bool hasLeaf = false) {
    units[at] = (at ^ base) << 10 | uint32_t(hasLeaf) << 8 | label;
  }
  void leaf(uint32_t base, uint32_t place) { units[base] = 1u << 31 | place; }

  std::string bytes() const {
    std::string result;
    auto add = [&](uint32_t word) {
      for (int i = 0; i < 4; ++i)
        result += char(word >> 8 * i);
    };
    add(4 * units.size());
    for (uint32_t unit : units)
      add(unit);
    return result + texts;
  }
};
} // namespace

/// The table that writes b for A.
static Table smallTable() {
  Table table;
  table.node(0, 128, 0);
  table.node(128 ^ 'A', 2, 'A', true);
  table.leaf(2, 0);
  return table;
}

static std::string base64(const std::string &bytes) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t word = 0;
    for (size_t i = 0; i < 3; ++i)
      word = word << 8 | (at + i < bytes.size() ? uint8_t(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i)
      text += at + i > bytes.size() ? '=' : digits[word >> (18 - 6 * i) & 63];
  }
  return text;
}

static json withTable(const std::string &text) {
  json file = smallUnigram();
  file["normalizer"] = {{"type", "Precompiled"},
                        {"precompiled_charsmap", text}};
  return file;
}

TEST(CharsMap, ReplacesCharacters) {
  EXPECT_EQ(idsOf(withTable(base64(smallTable().bytes())), "Abc"),
            (Ids{2, 2, 4}));
  // The mark belongs to the grapheme of which A is the beginning.
  EXPECT_EQ(idsOf(withTable(base64(smallTable().bytes())), "A\u0301c"),
            (Ids{2, 4}));
  EXPECT_EQ(
      idsOf(withTable(base64(smallTable().bytes())), "A\u0301\u0301\u0301c"),
      (Ids{2, 0, 4}));
}

TEST(CharsMap, TextsThatAreNoTable) {
  for (const char *text : {"!!!!", "AAA", "AAAAA", "AA==AAAA", "A===", "AB=="})
    expectRefusal(withTable(text), invalid, "expected base64");
  expectRefusal(withTable(""), invalid, "expected at least 4 bytes, got 0");
  std::string whole = smallTable().bytes();
  for (size_t size = 4; size < 4 + 1024; size += 51)
    expectRefusal(withTable(base64(whole.substr(0, size))), invalid,
                  "expected a trie of whole blocks of 1024 bytes");
  for (const char *head : {"\1\4\0\0", "\0\0\0\0", "\xff\xff\xff\xff"})
    expectRefusal(withTable(base64(std::string(head, 4) + whole.substr(4))),
                  invalid, "expected a trie of whole blocks of 1024 bytes");
}

TEST(CharsMap, TablesThatContradictThemselves) {
  auto refuse = [](const Table &table, const char *wanted) {
    expectRefusal(withTable(base64(table.bytes())), invalid, wanted);
  };
  Table table = smallTable();
  table.node(77, 256, 'x');
  refuse(table, "expected distances within the trie");
  table = smallTable();
  table.units[77] = 0xffffffff >> 1;
  refuse(table, "expected distances within the trie");
  table = smallTable();
  table.units[2] = 0;
  refuse(table, "expected places of whole characters");
  for (uint32_t place : {3u, 5u, 0x7fffffffu}) {
    table = smallTable();
    table.leaf(2, place);
    refuse(table, "expected places of whole characters");
  }
  table = smallTable();
  table.texts = "\xff";
  refuse(table, "expected replacements in UTF-8");
  // A node that leads to itself, and two that lead to each other.
  table = smallTable();
  table.node(128 ^ 'A', 128, 'A');
  refuse(table, "without circles");
  table = smallTable();
  table.node(128 ^ 'A', 64, 'A');
  table.node(64 ^ 'B', 128, 'B');
  refuse(table, "without circles");
}

/// A trie with one text of `bytes` letters.
static Table chain(uint32_t bytes) {
  Table table;
  table.units.resize(256 * (bytes + 2));
  table.node(0, 256, 0);
  for (uint32_t i = 1; i <= bytes; ++i)
    table.node(256 * i ^ 'a', 256 * (i + 1), 'a', i == bytes);
  table.leaf(256 * (bytes + 1), 0);
  return table;
}

TEST(CharsMap, DepthOfTheTrie) {
  EXPECT_EQ(idsOf(withTable(base64(chain(256).bytes())), "aab"), (Ids{1, 3}));
  expectRefusal(withTable(base64(chain(257).bytes())), invalid,
                "have at most 256 bytes");
}

/// The graphemes of a text with bars between them.
static std::string divided(const std::string &text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t end = tenon::tokenizers::graphemeEnd(text, at);
    result += (at ? "|" : "") + text.substr(at, end - at);
    at = end;
  }
  return result;
}

TEST(Graphemes, RulesOfUax29) {
  for (const char *text :
       {"a|b|\r\n|\r|\r\n|\n|c", "e\u0301\u0323|x", "\u0001|\u0301|a",
        "\u1100\u1100\u1161\u11a8\u11a8|\u1100", "\uac00\u1161\u11a8|\uac01",
        "\uac01\u11a8|\u1161", "\u0915\u094d\u0937\u0903|\u0915",
        "\u0915\u0301\u094d\u0301\u0937\u094d|a", "\u0600\u0061|b",
        "\u0600|\u0001", "\U0001f1e6\U0001f1e7|\U0001f1e8|x",
        "\U0001f469\u200d\U0001f469\u200d\U0001f467|\U0001f469",
        "\U0001f44d\U0001f3fd\u200d\u231a|\u231a", "a\u200d|\u231a",
        "\u231a\u200d\u200d|\u231a", "\u0e33", "a\u0e33|b"}) {
    std::string bars = text, plain = text;
    std::erase(plain, '|');
    EXPECT_EQ(divided(plain), bars);
  }
}
