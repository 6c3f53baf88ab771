// Files that are damaged, contradict themselves or ask for too much: each is
// refused with the place, what was expected and what was found.
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"

#include <gtest/gtest.h>

using namespace tenon::test;
using nlohmann::json;

/// Expects the files to be refused with `status` and a text that has `wanted`.
static void expectRefusal(const std::map<std::string, std::string> &files,
                          tenon_tokenizer_status status,
                          const std::string &wanted) {
  Session session(files);
  EXPECT_FALSE(session.isOpen()) << wanted;
  EXPECT_EQ(session.getStatus(), status) << session.getError();
  EXPECT_NE(session.getError().find(wanted), std::string::npos)
      << session.getError() << "\nexpected: " << wanted;
}

/// The same for the small tokenizer with one value replaced.
static void expectRefusal(const std::string &pointer, const json &value,
                          tenon_tokenizer_status status,
                          const std::string &wanted) {
  json tokenizer = smallTokenizer();
  tokenizer[json::json_pointer(pointer)] = value;
  expectRefusal(asFiles(tokenizer), status, wanted);
}

static constexpr auto invalid = TENON_TOKENIZER_INVALID;
static constexpr auto unsupported = TENON_TOKENIZER_UNSUPPORTED;
static constexpr auto limit = TENON_TOKENIZER_LIMIT;

TEST(TokenizerRefusal, TheSmallTokenizerIsGood) {
  Session session(asFiles(smallTokenizer()));
  ASSERT_TRUE(session.isOpen()) << session.getError();
  EXPECT_EQ(session.encode("abcab", true), (std::vector<uint32_t>{4, 3}));
}

TEST(TokenizerRefusal, TextsThatAreNoJson) {
  for (const char *text :
       {"", " ", "{", "nul", "[1,]", "{\"a\":1,}", "\"\\ud800\"", "{} x",
        "\"\xff\"", "1e400", "{\"a\" 1}"})
    expectRefusal({{"tokenizer.json", text}}, invalid, "tokenizer.json: ");
  expectRefusal({{"tokenizer.json", "[]"}}, invalid, "expected an object");
  expectRefusal({{"tokenizer.json", "{}"}}, invalid, "model");
  expectRefusal({{"tokenizer.json", "{\"a\":1,\"b\":2,\"a\":3}"}}, invalid,
                "expected each key once, got 'a' twice");
}

TEST(TokenizerRefusal, DepthAndLength) {
  for (size_t depth : {65u, 2000u, 100000u, 1000000u}) {
    std::string open = "{\"a\":", text;
    for (size_t i = 0; i < depth; ++i)
      text += open;
    expectRefusal({{"tokenizer.json", text}}, limit, "64 deep");
    expectRefusal({{"tokenizer.json", std::string(depth, '[')}}, limit,
                  "64 deep");
  }
  expectRefusal({{"tokenizer.json", "[\"" + std::string(1100000, 'x') + "\"]"}},
                limit, "texts of at most");
  std::string many = "[";
  for (int i = 0; i < 2200000; ++i)
    many += "0,";
  expectRefusal({{"tokenizer.json", many + "0]"}}, limit, "values");
}

TEST(TokenizerRefusal, IdsAndTokens) {
  json model = smallTokenizer()["model"];
  for (const json &id : {json(-1), json(4000000000u), json(int64_t(1) << 31),
                         json(1.5), json("4"), json(nullptr), json(1e30)})
    expectRefusal("/model/vocab/b", id, invalid,
                  "model.vocab['b']: expected an id from 0 to 2147483647");
  expectRefusal("/model/vocab/b", 0, invalid, "expected each id once, got 0");
  expectRefusal("/model/vocab", json::object(), invalid,
                "expected at least one token");
  expectRefusal("/model/vocab", json::array(), invalid, "an object of tokens");
  // Ids far apart cost no memory.
  json sparse = smallTokenizer();
  sparse["model"]["vocab"]["abc"] = 2147483647;
  Session session(asFiles(sparse));
  ASSERT_TRUE(session.isOpen()) << session.getError();
  EXPECT_EQ(session.encode("abc", true), std::vector<uint32_t>{2147483647});
  EXPECT_EQ(session.token(2147483647), "abc");
  EXPECT_EQ(session.token(2147483646), "(none)");
}

TEST(TokenizerRefusal, Merges) {
  for (const json &merge : {json("a"), json("a b c"), json(""), json(7),
                            json::array({"a"}), json::array({"a", 1})})
    expectRefusal("/model/merges/1", merge, invalid,
                  "model.merges[1]: expected two tokens");
  expectRefusal("/model/merges/1", json::array({"ab", "c"}), invalid,
                "as a list everywhere");
  expectRefusal("/model/merges/1", "x b", invalid,
                "model.merges[1]: expected a token of the vocabulary, got 'x'");
  expectRefusal("/model/merges/1", "abc c", invalid, "got 'abcc'");
  expectRefusal("/model/merges", json::array({json::array({"c", "a"})}),
                invalid,
                "model.merges[0]: expected a token of the vocabulary, "
                "got 'ca'");
  std::string vocabulary = smallTokenizer()["model"]["vocab"].dump();
  expectRefusal({{"vocab.json", vocabulary}, {"merges.txt", "a b\nab  c\n"}},
                invalid, "merges.txt: line 2: expected two tokens");
  expectRefusal({{"vocab.json", vocabulary}, {"merges.txt", "#version\n\na b"}},
                invalid, "line 2");
  expectRefusal({{"vocab.json", vocabulary}, {"merges.txt", "a b\nb z\n"}},
                invalid, "line 2: expected a token of the vocabulary, got 'z'");
  expectRefusal({{"vocab.json", "{}"}, {"merges.txt", ""}}, invalid,
                "vocab.json: expected at least one token");
}

TEST(TokenizerRefusal, AddedTokens) {
  json two = json::array({addedToken(5, "x"), addedToken(9, "y")});
  expectRefusal("/added_tokens", two, invalid,
                "added_tokens[1]: expected the id 6 for 'y', got 9");
  expectRefusal("/added_tokens", json::array({addedToken(0, "x")}), invalid,
                "expected the id 5 for 'x', got 0");
  expectRefusal("/added_tokens",
                json::array({addedToken(5, "x"), addedToken(6, "x")}), invalid,
                "expected each token once");
  expectRefusal("/added_tokens", json::array({addedToken(5, "")}), invalid,
                "expected a token of 1 to 1024 bytes");
  json sparse = smallTokenizer();
  sparse["model"]["vocab"]["abc"] = 5;
  sparse["added_tokens"] = json::array({addedToken(5, "x")});
  expectRefusal(asFiles(sparse), invalid,
                "expected an id of its own for 'x', got 5, the id of 'abc'");
  json same = smallTokenizer();
  same["normalizer"] = {{"type", "NFC"}};
  same["added_tokens"] =
      json::array({addedToken(5, "\u00e9"), addedToken(6, "e\u0301")});
  expectRefusal(asFiles(same), invalid, "normalization keeps apart");
  expectRefusal("/added_tokens", json::object(), invalid, "expected a list");
}

TEST(TokenizerRefusal, UnknownTokensAndBytes) {
  expectRefusal("/model/unk_token", "<unk>", invalid,
                "model.unk_token: expected a token of the vocabulary, got "
                "'<unk>'");
  expectRefusal("/model/byte_fallback", true, invalid, "there is no '<0x00>'");
  json around = {{"type", "TemplateProcessing"},
                 {"single",
                  {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
                   {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
                 {"pair", json::array()},
                 {"special_tokens", json::object()}};
  expectRefusal("/post_processor", around, invalid,
                "post_processor.special_tokens['<s>']: expected the ids");
  around["special_tokens"]["<s>"] = {
      {"id", "<s>"}, {"ids", {77}}, {"tokens", {"<s>"}}};
  expectRefusal("/post_processor", around, invalid,
                "expected ids of the vocabulary, got 77");
}

TEST(TokenizerRefusal, SpecialTokensOfTheConfiguration) {
  std::map<std::string, std::string> files = {{"vocab.json", "{\"a\":0}"},
                                              {"merges.txt", ""}};
  auto expectWith = [&](const json &config, const std::string &wanted) {
    files["tokenizer_config.json"] = config.dump();
    expectRefusal(files, invalid, wanted);
  };
  expectWith({{"add_bos_token", true}}, "bos_token: expected a token");
  expectWith({{"add_eos_token", true}}, "eos_token: expected a token");
  expectWith({{"bos_token", 7}}, "bos_token: expected an object, got 7");
  expectWith({{"added_tokens_decoder", {{"-1", {{"content", "x"}}}}}},
             "added_tokens_decoder['-1']: expected an id as key");
  expectWith({{"added_tokens_decoder", {{"0", {{"content", "x"}}}}}},
             "expected the id 1 for 'x', got 0");
  expectWith({{"added_tokens_decoder", {{"4000000000", {{"content", "x"}}}}}},
             "expected the id 1 for 'x', got 4000000000");
  expectWith({{"added_tokens_decoder",
               {{"1", {{"content", "x"}}}, {"01", {{"content", "y"}}}}}},
             "expected the id 2 for 'x', got 1");
  files["tokenizer_config.json"] = "{}";
  files["added_tokens.json"] = "{\"x\":1,\"y\":1}";
  expectRefusal(files, invalid, "expected each id once, got 1");
  files["added_tokens.json"] = "{\"x\":-1}";
  expectRefusal(files, invalid, "['x']: expected an id from 0 to 2147483647");
}

TEST(TokenizerRefusal, WhatIsNotSupportedIsSaidAtOnce) {
  json tokenizer = smallTokenizer();
  tokenizer["normalizer"] = {
      {"type", "Sequence"},
      {"normalizers", {{{"type", "NFC"}}, {{"type", "Lowercase"}}}}};
  tokenizer["pre_tokenizer"] = {{"type", "Whitespace"}};
  tokenizer["decoder"] = {{"type", "WordPiece"}};
  tokenizer["post_processor"] = {{"type", "BertProcessing"}};
  tokenizer["model"]["type"] = "WordPiece";
  for (const char *wanted :
       {"normalizer.normalizers[1].type: expected one of", "got 'Lowercase'",
        "pre_tokenizer.type: expected one of", "got 'Whitespace'",
        "decoder.type: expected one of", "post_processor.type: expected one of",
        "model.type: expected 'BPE' or 'Unigram', got 'WordPiece'"})
    expectRefusal(asFiles(tokenizer), unsupported, wanted);
  expectRefusal("/version", "2.0", unsupported, "version: expected '1.0'");
  expectRefusal("/model/dropout", 0.1, unsupported, "model.dropout");
  expectRefusal("/model/end_of_word_suffix", "</w>", unsupported,
                "model.end_of_word_suffix");
  expectRefusal(
      "/decoder",
      {{"type", "Sequence"},
       {"decoders", {{{"type", "Fuse"}}, {{"type", "ByteFallback"}}}}},
      unsupported, "decoder.decoders[1].type");
  expectRefusal(
      {{"vocab.json", "{\"a\":0}"},
       {"merges.txt", ""},
       {"tokenizer_config.json", "{\"tokenizer_class\":\"CLIPTokenizer\"}"}},
      unsupported, "got 'CLIPTokenizer'");
}

TEST(TokenizerRefusal, FieldsThatAreMissingOrWrong) {
  expectRefusal("/pre_tokenizer", {{"type", "Split"}}, invalid,
                "pre_tokenizer.pattern");
  expectRefusal("/pre_tokenizer", json::object(), invalid,
                "pre_tokenizer.type: expected a text, got nothing");
  expectRefusal("/pre_tokenizer", 7, invalid,
                "pre_tokenizer: expected an object, got 7");
  expectRefusal("/normalizer", {{"type", "Prepend"}}, invalid,
                "normalizer.prepend");
  expectRefusal(
      "/decoder",
      {{"type", "Strip"}, {"content", "ab"}, {"start", 1}, {"stop", 0}},
      invalid, "expected one character, got 'ab'");
  json steps = {{"type", "NFC"}};
  for (int i = 0; i < 20; ++i)
    steps = {{"type", "Sequence"}, {"normalizers", {steps}}};
  expectRefusal("/normalizer", steps, limit, "sequences at most 16 deep");
}

TEST(TokenizerRefusal, NamesOfFiles) {
  expectRefusal({{"config.json", "{}"}}, TENON_TOKENIZER_BAD_INPUT,
                "expected the name of a tokenizer's file");
  expectRefusal({{"vocab.json", "{}"}}, invalid, "got none of them");
}
