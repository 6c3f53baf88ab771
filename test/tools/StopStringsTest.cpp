// Tests stop strings: every text is cut at the same place, however it is split
// into pieces.
#include "tools/tenon/generate/StopStrings.h"

#include <gtest/gtest.h>

using namespace tenon::cli;

namespace {

/// The text before the stop, with pieces of `size` bytes. Nothing that was
/// returned may be taken back, so the parts are only joined.
std::string cut(const std::string &text, std::vector<std::string> strings,
                size_t size, bool &found) {
  StopStrings stops(std::move(strings));
  std::string result;
  for (size_t i = 0; i < text.size(); i += size)
    result += stops.push(llvm::StringRef(text).substr(i, size));
  result += stops.finish();
  found = stops.isFound();
  EXPECT_EQ(stops.push("more"), found ? "" : "more");
  return result;
}

void expectCut(const std::string &text, std::vector<std::string> strings,
               const std::string &expected, bool isFound = true) {
  for (size_t size = 1; size <= text.size() + 1; ++size) {
    bool found = false;
    EXPECT_EQ(cut(text, strings, size, found), expected) << size;
    EXPECT_EQ(found, isFound) << size;
  }
}

TEST(StopStrings, AreFoundAcrossPieces) {
  expectCut("one two three", {"two"}, "one ");
  expectCut("one two three", {"three"}, "one two ");
  expectCut("one two three", {"one"}, "");
  expectCut("aaab", {"aab"}, "a");
  expectCut("ababac", {"abac"}, "ab");
  expectCut("x\ny", {"\n"}, "x");
}

TEST(StopStrings, TheOneThatIsCompleteFirstWins) {
  expectCut("one two three", {"three", "wo"}, "one t");
}

TEST(StopStrings, AnUnfinishedOneIsPartOfTheText) {
  expectCut("one two thr", {"three"}, "one two thr", false);
  expectCut("aaaa", {"aaaab", "zz"}, "aaaa", false);
  expectCut("text", {""}, "text", false);
  expectCut("text", {}, "text", false);
}

TEST(StopStrings, OnlyAPossibleBeginIsHeldBack) {
  StopStrings stops({"stop", "op!"});
  EXPECT_EQ(stops.push("a st"), "a ");
  EXPECT_EQ(stops.push("o"), "");
  EXPECT_EQ(stops.push("x"), "stox");
  EXPECT_EQ(stops.push("sto"), "");
  EXPECT_EQ(stops.push("p"), "");
  EXPECT_TRUE(stops.isFound());
  EXPECT_EQ(stops.finish(), "");
}

} // namespace
