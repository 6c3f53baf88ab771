// Tests the texts of a chart: labels are cut between characters, and the ticks
// of an axis differ.
#include "tools/tenon/BenchChart.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

using tenon::cli::asSvg;

namespace {

bool contains(const std::string &svg, llvm::StringRef text) {
  return llvm::StringRef(svg).contains(text);
}

std::string repeated(llvm::StringRef text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += text;
  return result;
}

std::string chartOf(std::string label, double median) {
  return asSvg("title", "s", {{std::move(label), "text", median, {}, {}}});
}

TEST(BenchChart, KeepsCharactersWholeInLongLabels) {
  std::string svg = chartOf(repeated("\u00e9", 60), 1);
  std::string half = repeated("\u00e9", 22);
  EXPECT_TRUE(contains(svg, ">" + half + "\u2026" + half + "<"));
  EXPECT_FALSE(contains(svg, half + "\u00e9\u2026"));
}

TEST(BenchChart, KeepsShortLabels) {
  std::string label = repeated("\u65e5", 44);
  EXPECT_TRUE(contains(chartOf(label, 1), ">" + label + "<"));
}

TEST(BenchChart, ReplacesBytesThatAreNoCharacters) {
  std::string label = repeated("\x80", 30) + repeated("a", 60);
  EXPECT_TRUE(llvm::json::isUTF8(chartOf(label, 1)));
}

TEST(BenchChart, WritesTheDigitsOfSmallSteps) {
  std::string svg = chartOf("label", 2e-5);
  EXPECT_TRUE(contains(svg, ">0.000005<"));
  EXPECT_TRUE(contains(svg, ">0.000010<"));
  svg = chartOf("label", 0.25);
  EXPECT_TRUE(contains(svg, ">0.05<"));
  EXPECT_TRUE(contains(svg, ">0.20<"));
}

TEST(BenchChart, WritesNoFractionOfLargeSteps) {
  std::string svg = chartOf("label", 20);
  EXPECT_TRUE(contains(svg, ">5<"));
  EXPECT_TRUE(contains(chartOf("label", 9000), ">4 k<"));
}

} // namespace
