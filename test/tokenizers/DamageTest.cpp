// Golden files cut, flipped and rearranged: each is refused or read, and what
// was read can encode and decode. Runs with sanitizers.
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace tenon::test;
using nlohmann::json;

/// Opens the files; if they are good, uses the tokenizer.
static bool tryFiles(const std::map<std::string, std::string> &files) {
  Session session(files);
  if (!session.isOpen()) {
    EXPECT_NE(session.getStatus(), TENON_TOKENIZER_OK);
    EXPECT_NE(session.getStatus(), TENON_TOKENIZER_INTERNAL)
        << session.getError();
    EXPECT_FALSE(session.getError().empty());
    return false;
  }
  std::vector<uint32_t> ids =
      session.encode("It's <s> 1234 n\u00e4ive\u0301 \xff <|endoftext|>", true);
  EXPECT_TRUE(isText(session.decode(ids, false)));
  EXPECT_NE(session.decodePieces(ids, true), "(torn)");
  return true;
}

static std::map<std::string, std::string> filesOf(const std::string &kind) {
  std::map<std::string, std::string> files;
  for (const char *name : {"tokenizer.json", "vocab.json", "merges.txt",
                           "spiece.model", "tokenizer_config.json"})
    if (std::string text = readFile(golden(kind) + "/" + name); !text.empty())
      files[name] = text;
  return files;
}

static int rounds() {
  const char *wanted = getenv("TENON_TEST_MUTATIONS");
  return wanted ? atoi(wanted) : 150;
}

class TokenizerDamage : public testing::TestWithParam<const char *> {};

TEST_P(TokenizerDamage, FilesCut) {
  std::mt19937 random(1);
  for (const auto &[name, text] : filesOf(GetParam())) {
    for (int i = 0; i < rounds(); ++i) {
      auto files = filesOf(GetParam());
      files[name] = text.substr(0, random() % text.size());
      bool isGood = tryFiles(files);
      // A prefix of JSON is no JSON; of lines or messages it may be good.
      EXPECT_TRUE(!isGood || name == "merges.txt" || name == "spiece.model")
          << name;
    }
  }
}

TEST_P(TokenizerDamage, BytesFlipped) {
  std::mt19937 random(2);
  for (const auto &[name, text] : filesOf(GetParam()))
    for (int i = 0; i < rounds(); ++i) {
      auto files = filesOf(GetParam());
      std::string &damaged = files[name];
      for (size_t count = 1 + random() % 4; count > 0; --count)
        damaged[random() % damaged.size()] ^= 1 << random() % 8;
      tryFiles(files);
    }
}

/// The places of all values of `value`.
static void placesIn(const json &value, const json::json_pointer &here,
                     std::vector<json::json_pointer> &places) {
  places.push_back(here);
  size_t taken = 0;
  if (value.is_structured())
    for (const auto &[key, item] : value.items()) {
      // The vocabulary is long, and all of it is alike.
      if (++taken > 24)
        break;
      placesIn(item, value.is_array() ? here / taken : here / key, places);
    }
}

TEST_P(TokenizerDamage, ValuesReplaced) {
  std::mt19937 random(3);
  const json values[] = {nullptr,
                         true,
                         false,
                         0,
                         -1,
                         1,
                         2147483647,
                         4294967296,
                         1e300,
                         "",
                         "a",
                         "ByteLevel",
                         "Sequence",
                         "Replace",
                         "\xef\xbf\xbd",
                         json::array(),
                         json::object(),
                         json::array({1, "b"}),
                         {{"type", "Fuse"}},
                         {{"Regex", "(a|b)*\\p{L}"}},
                         {{"String", " "}}};
  for (const auto &[name, text] : filesOf(GetParam())) {
    if (name == "merges.txt" || name == "spiece.model")
      continue;
    json whole = json::parse(text);
    std::vector<json::json_pointer> places;
    placesIn(whole, json::json_pointer(), places);
    for (int i = 0; i < 2 * rounds(); ++i) {
      json damaged = whole;
      const json::json_pointer &place = places[random() % places.size()];
      if (!damaged.contains(place))
        continue;
      damaged[place] = values[random() % std::size(values)];
      auto files = filesOf(GetParam());
      files[name] = damaged.dump();
      tryFiles(files);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, TokenizerDamage,
                         testing::Values("added", "llama2", "llama3", "opt",
                                         "qwen2-files", "expression", "forms",
                                         "t5", "mt5", "spiece-small"));
