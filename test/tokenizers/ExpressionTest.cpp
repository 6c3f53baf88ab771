// Regular expressions: the loops of known expressions against Oniguruma, and
// the limits of all others.
#include "tokenizers/Expression.h"
#include "test/tokenizers/Files.h"
#include "test/tokenizers/Session.h"
#include "tokenizers/CountedExpression.h"
#include "tokenizers/Failure.h"
#include "tokenizers/KnownExpressions.h"
#include "tokenizers/Unicode.h"
#include "tokenizers/Utf8.h"

#include <gtest/gtest.h>
#include <random>

using namespace tenon::tokenizers;
using nlohmann::json;
using tenon::test::Session;

static std::vector<size_t> endsByLoop(FindEnd findEnd, std::string_view text) {
  std::vector<size_t> ends;
  for (size_t at = 0; at < text.size(); at = ends.back())
    ends.push_back(findEnd(text, at));
  return ends;
}

static std::vector<size_t> endsByOniguruma(const Expression &expression,
                                           std::string_view text) {
  std::vector<size_t> ends;
  for (const Match &match : expression.findAll(text)) {
    EXPECT_EQ(match.begin, ends.empty() ? 0 : ends.back());
    ends.push_back(match.end);
  }
  return ends;
}

/// Texts of characters that matter to the expressions and that Oniguruma of any
/// version puts into the same classes.
static std::string drawText(std::mt19937 &random) {
  static const char *const parts[] = {
      "'",       "'",      "s",          "S",      "t",      "T",      "r",
      "e",       "E",      "v",          "V",      "m",      "l",      "L",
      "d",       "\u017f", "\u2019",     " ",      " ",      "  ",     "\n",
      "\r",      "\r\n",   "\t",         "\u00a0", "\u3000", "\u2028", "0",
      "1",       "99",     "\u0663",     "\u00b2", "\u2167", "a",      "\u00e9",
      "e\u0301", "\u4e2d", "\u0434",     "\u0301", ".",      "!",      "-",
      "\u2014",  "\u20ac", "\U0001f600", "\u200d", "_",      "\x01"};
  std::string text;
  std::uniform_int_distribution<size_t> part(0, std::size(parts) - 1);
  for (size_t count = random() % 24; count > 0; --count)
    text += parts[part(random)];
  // A NUL, which is a character like others.
  if (random() % 16 == 0)
    text += '\0';
  return text;
}

TEST(TokenizerExpression, LoopsDoWhatTheirExpressionsSay) {
  std::mt19937 random(1);
  const std::pair<std::string_view, FindEnd> known[] = {
      {gpt2Expression, endByGpt2},
      {llama3Expression, endByLlama3},
      {qwen2Expression, endByQwen2}};
  for (auto [pattern, findEnd] : known) {
    ASSERT_EQ(findKnownExpression(pattern), findEnd);
    Expression expression(pattern);
    for (int i = 0; i < 20000; ++i) {
      std::string text = drawText(random);
      ASSERT_EQ(endsByLoop(findEnd, text), endsByOniguruma(expression, text))
          << text;
    }
  }
}

TEST(TokenizerExpression, ContractionsOfEveryCharacter) {
  Expression expression(llama3Expression);
  std::vector<std::string> differing;
  for (uint32_t c = 1; c < 0x3000; ++c) {
    // Oniguruma's tables differ from ours in unassigned characters.
    if (classOf(c) == CharacterClass::Other && c > 0x100)
      continue;
    std::string character;
    appendUtf8(character, c);
    for (const std::string &text :
         {"'" + character, "'" + character + "e", "'l" + character,
          "'" + character + "l", "x'" + character + "x"}) {
      if (endsByLoop(endByLlama3, text) != endsByOniguruma(expression, text))
        differing.push_back(text);
    }
  }
  // Letters of Unicode 16 that an older Oniguruma does not know.
  EXPECT_LT(differing.size(), 64u);
  for (const std::string &text : differing)
    EXPECT_GT(codePointAt(text, text[0] == 'x'   ? 2
                                : text[1] == 'l' ? 2
                                                 : 1),
              0x800u)
        << text;
}

TEST(TokenizerExpression, EmptyMatchesAreTakenOnce) {
  auto spans = [](const char *pattern, std::string_view text) {
    std::vector<std::pair<size_t, size_t>> found;
    for (const Match &match : Expression(pattern).findAll(text))
      found.push_back({match.begin, match.end});
    return found;
  };
  using Spans = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(spans("x*", "axb"), (Spans{{0, 0}, {1, 2}, {3, 3}}));
  EXPECT_EQ(spans("x*", ""), (Spans{{0, 0}}));
  EXPECT_EQ(spans("(?=é)", "aé"), (Spans{{1, 1}}));
  EXPECT_EQ(spans("z", "abc"), Spans{});
}

static std::string splitBy(const std::string &pattern) {
  json tokenizer = tenon::test::smallTokenizer();
  tokenizer["pre_tokenizer"] = {{"type", "Split"},
                                {"pattern", {{"Regex", pattern}}},
                                {"behavior", "Isolated"},
                                {"invert", false}};
  return tokenizer.dump();
}

static tenon_tokenizer_status openBy(const std::string &pattern) {
  return Session({{"tokenizer.json", splitBy(pattern)}}).getStatus();
}

TEST(TokenizerExpression, ExpressionsThatAreNone) {
  for (const char *pattern : {"(", "[", "a{2", "*", "(?<n", "\\", "[z-a]"})
    EXPECT_NE(openBy(pattern), TENON_TOKENIZER_INTERNAL) << pattern;
  EXPECT_EQ(openBy("("), TENON_TOKENIZER_INVALID);
  EXPECT_EQ(openBy("[z-a]"), TENON_TOKENIZER_INVALID);
  EXPECT_EQ(openBy(std::string(1 << 20, 'a')), TENON_TOKENIZER_LIMIT);
  EXPECT_EQ(openBy(std::string(65, '(') + std::string(65, ')')),
            TENON_TOKENIZER_LIMIT);
}

TEST(TokenizerExpression, StepsAreLimited) {
  std::string text(1 << 20, 'a');
  for (const char *pattern : {"(a+)+$x", "(a|aa)+$x"}) {
    Session session({{"tokenizer.json", splitBy(pattern)}});
    ASSERT_TRUE(session.isOpen()) << session.getError();
    EXPECT_TRUE(session.encode(text, true).empty());
    EXPECT_EQ(session.getStatus(), TENON_TOKENIZER_LIMIT);
    EXPECT_NE(session.getError().find("too many steps"), std::string::npos)
        << session.getError();
    // The tokenizer works as before.
    EXPECT_EQ(session.encode("b", true), std::vector<uint32_t>{1});
  }
}

// Each of these searches ends below the limit of one search.
TEST(TokenizerExpression, StepsOfAllSearchesAreLimited) {
  Session session({{"tokenizer.json", splitBy("(?=(a+)+c)b|a")}});
  ASSERT_TRUE(session.isOpen()) << session.getError();
  std::string slow = std::string(9, 'a') + "b", text;
  EXPECT_EQ(session.encode(slow, true).size(), slow.size());
  for (int i = 0; i < 100000; ++i)
    text += slow;
  EXPECT_TRUE(session.encode(text, true).empty());
  EXPECT_EQ(session.getStatus(), TENON_TOKENIZER_LIMIT);
  EXPECT_NE(session.getError().find("too many steps"), std::string::npos)
      << session.getError();
}

// Without going back, a search may still read all of the text at each place.
TEST(TokenizerExpression, StepsWithoutRetriesAreLimited) {
  for (const char *pattern :
       {"(?=a*)b|a(?=[^b]*)", "a(?=.*)", "(?>a*)b|c", "a++b|c", "[^bc]*+b|c",
        "(?:(?=a*)a)*b|c", "a(?!a*b)", "a(?=(?:(?=a*)a)*)",
        "a(?=\\w{0,100000})"}) {
    Session session({{"tokenizer.json", splitBy(pattern)}});
    ASSERT_TRUE(session.isOpen()) << session.getError();
    EXPECT_FALSE(session.encode(std::string(20, 'a'), true).empty())
        << pattern << ": " << session.getError();
    EXPECT_TRUE(session.encode(std::string(5000, 'a') + "c", true).empty())
        << pattern;
    EXPECT_EQ(session.getStatus(), TENON_TOKENIZER_LIMIT) << pattern;
  }
}

// Nor may short pieces take long, each of them or all together.
TEST(TokenizerExpression, StepsOfShortTextsAreLimited) {
  std::string pattern;
  for (int i = 0; i < 30; ++i)
    pattern += "(?:a|a)?a?";
  Session session({{"tokenizer.json", splitBy(pattern + "d|c")}});
  ASSERT_TRUE(session.isOpen()) << session.getError();
  EXPECT_TRUE(session.encode(std::string(40, 'a') + "c", true).empty());
  EXPECT_EQ(session.getStatus(), TENON_TOKENIZER_LIMIT);
}

TEST(TokenizerExpression, CountsArePutIntoEachRepetition) {
  const std::pair<const char *, const char *> cases[] = {
      {"ab", "ab"},
      {"ab*", "a(?:(?{})b)*"},
      {"a|b|c", "a|(?{})b|(?{})c"},
      {"(?:ab)+?c", "(?:(?{})(?:ab))+?c"},
      {"a?+b{2,3}?", "(?:(?{})a)?+(?:(?{})b){2,3}?"},
      {"a{,3}b{2}c{x}d{}", "(?:(?{})a){,3}(?:(?{})b){2}c{x}d{}"},
      {"((a*)|b)*", "(?:(?{})(((?:(?{})a)*)|(?{})b))*"},
      {"\\*\\p{L}*", "\\*(?:(?{})\\p{L})*"},
      {"\\x41*\\x{41}*\\x4g*",
       "(?:(?{})\\x41)*(?:(?{})\\x{41})*\\x4(?:(?{})g)*"},
      {"\\u00e9*\\012*", "(?:(?{})\\u00e9)*(?:(?{})\\012)*"},
      {"[^]a]*[a[b\\]]*]*", "(?:(?{})[^]a])*(?:(?{})[a[b\\]]*])*"},
      {"[[:alpha:]+]+", "(?:(?{})[[:alpha:]+])+"},
      {"\u00e9*", "(?:(?{})\u00e9)*"},
      {"(?i)a*(?i:b)*", "(?i)(?:(?{})a)*(?:(?{})(?i:b))*"},
      {"(?<n>a)*(?'m'b)*", "(?:(?{})(?<n>a))*(?:(?{})(?'m'b))*"},
      {"(?=a*)(?!b+)(?>c*)", "(?=(?:(?{})a)*)(?!(?:(?{})b)+)(?>(?:(?{})c)*)"},
      {"(?<=ab|c)d(?<!e)", "(?<=ab|c)d(?<!e)"},
      {"(?#a*\\)|)b*", "(?#a*\\)|)(?:(?{})b)*"},
  };
  for (auto [pattern, counted] : cases) {
    EXPECT_EQ(withCounts(pattern), counted);
    EXPECT_NO_THROW(Expression{pattern}) << pattern;
  }
}

TEST(TokenizerExpression, PartsThatCannotBeCountedAreRefused) {
  for (const char *pattern :
       {"(a)\\1", "(?<n>a)\\k<n>", "(?<n>a)\\g<n>", "\\X", "(?~a)", "(?{x})a",
        "(*FAIL)", "(a)?(?(1)b|c)", "(?<=a{2})b", "(?<!(?:a|b))c", "(?x)a *",
        "(?x-i:a)", "\\o{101}", "\\ca", "\\M-a", "\\C-a"}) {
    EXPECT_EQ(openBy(pattern), TENON_TOKENIZER_UNSUPPORTED) << pattern;
    try {
      withCounts(pattern);
      ADD_FAILURE() << pattern;
    } catch (const Failure &failure) {
      EXPECT_NE(failure.text.find("cannot be counted"), std::string::npos);
    }
  }
}

// A long text may need many steps.
TEST(TokenizerExpression, LongTextsHaveEnoughSteps) {
  const std::string before = std::string(5000, 'a') + "b";
  std::string text;
  for (int i = 0; i < 400; ++i)
    text += before;
  for (const char *pattern : {"b", "a+", "a*?b", "a+?b|c"}) {
    Session session({{"tokenizer.json", splitBy(pattern)}});
    ASSERT_TRUE(session.isOpen()) << session.getError();
    EXPECT_FALSE(session.encode(text, true).empty())
        << pattern << ": " << session.getError();
  }
}
