// Every bar starts at zero, so that lengths compare as values do. The dots of a
// row are quantiles: their number does not grow with the number of runs.
#include "tools/tenon/BenchChart.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace tenon::cli {

namespace {
/// Lengths in pixels.
constexpr double digitWidth = 6.6, plotWidth = 420, rowHeight = 34,
                 barHeight = 12, top = 62, margin = 16;
constexpr size_t longestLabel = 44; ///< characters
constexpr int dots = 50;

constexpr const char *style = R"(<style>
text { font: 12px system-ui, sans-serif; fill: #57606a }
.title { font-size: 15px; font-weight: 600; fill: #24292f }
.label { fill: #24292f }
.figures { font-variant-numeric: tabular-nums }
.axis { stroke: #8b949e; stroke-opacity: .35 }
.bar { fill: #3b82c4 }
.dot { fill: #1b4f80; fill-opacity: .45 }
.mark { stroke: #d9822b; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #a8b1bb }
  .title, .label { fill: #e6edf3 }
  .bar { fill: #4a8fd0 }
  .dot { fill: #bfdcf7 }
}
</style>
)";
} // namespace

/// `text` as the content of an element. XML has no control characters.
static std::string escapeXml(llvm::StringRef text) {
  std::string escaped;
  for (char c : llvm::json::fixUTF8(text))
    if (c == '&')
      escaped += "&amp;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '>')
      escaped += "&gt;";
    else
      escaped += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  return escaped;
}

/// The number of characters of UTF-8 text.
static size_t characters(llvm::StringRef text) {
  return llvm::count_if(text, [](char c) { return (c & 0xc0) != 0x80; });
}

/// `text` with its middle left out if it is long. Characters stay whole.
static std::string shorten(llvm::StringRef text) {
  std::string whole = llvm::json::fixUTF8(text);
  std::vector<size_t> starts; // of characters
  for (size_t at = 0; at < whole.size(); ++at)
    if ((whole[at] & 0xc0) != 0x80)
      starts.push_back(at);
  if (starts.size() <= longestLabel)
    return whole;
  size_t half = longestLabel / 2;
  return whole.substr(0, starts[half]) + "\u2026" +
         whole.substr(starts[starts.size() - half]);
}

/// A step of the axis: the greatest of 1, 2 and 5 times a power of ten that
/// gives at least four steps up to `most`.
static double stepOf(double most) {
  double step = std::pow(10, std::floor(std::log10(most)));
  for (double share : {5.0, 2.0, 1.0, 0.5, 0.2})
    if (most / (share * step) >= 4)
      return share * step;
  return step / 10;
}

/// `tick`, a multiple of `step`, without digits that are zero in all ticks.
static std::string tickText(double tick, double step) {
  if (step >= 1e6)
    return llvm::formatv("{0:f0} M", tick / 1e6);
  if (step >= 1e3)
    return llvm::formatv("{0:f0} k", tick / 1e3);
  // A step like 0.05 is slightly more or less than it reads.
  int decimals = int(std::ceil(-std::log10(step) - 1e-6));
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.*f", std::max(0, decimals), tick);
  return text;
}

namespace {
class Chart {
public:
  Chart(llvm::ArrayRef<BenchBar> bars) : bars(bars) {
    size_t labelLength = 0;
    for (const BenchBar &bar : bars) {
      most = std::max(most, bar.median);
      for (const BenchMark &mark : bar.marks)
        most = std::max(most, mark.value);
      labelLength = std::max(labelLength, characters(shorten(bar.label)));
      textLength = std::max(textLength, characters(bar.text));
    }
    left = margin + double(labelLength) * digitWidth + 10;
    bottom = top + double(bars.size()) * rowHeight;
  }

  std::string draw(const std::string &title, const std::string &unit) {
    begin(title);
    drawAxis(unit);
    for (size_t row = 0; row < bars.size(); ++row)
      drawBar(bars[row], top + (double(row) + 0.5) * rowHeight);
    out << "</svg>\n";
    return svg;
  }

private:
  double right() const { return left + plotWidth; }
  double end() const { return most > 0 ? most * 1.02 : 1; }
  double place(double value) const { return left + value / end() * plotWidth; }

  void begin(const std::string &title) {
    double width =
        std::max(right() + 14 + double(textLength) * digitWidth + margin,
                 2 * margin + double(characters(title)) * 8.5);
    out << llvm::formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                         "width=\"{0:f0}\" height=\"{1:f0}\" viewBox=\"0 0 "
                         "{0:f0} {1:f0}\" role=\"img\" "
                         "aria-labelledby=\"title description\">\n<title "
                         "id=\"title\">{2}</title>\n<desc id=\"description\">",
                         width, bottom + 42, escapeXml(title));
    for (const BenchBar &bar : bars)
      out << escapeXml(bar.label + ": " + bar.text) << ". ";
    std::string key = "bar: median; dots: quantiles of the runs";
    for (size_t i = 0; !bars.empty() && i < bars[0].marks.size(); ++i)
      key += (i == 0 ? "; lines: " : ", ") + bars[0].marks[i].name;
    out << "</desc>\n" << style;
    out << llvm::formatv("<text class=\"title\" x=\"{0:f0}\" "
                         "y=\"26\">{1}</text>\n<text x=\"{0:f0}\" "
                         "y=\"46\">{2}</text>\n",
                         margin, escapeXml(title), escapeXml(key));
  }

  void drawAxis(const std::string &unit) {
    double step = most > 0 ? stepOf(most) : 1;
    for (double tick = 0; tick <= end(); tick += step)
      out << llvm::formatv(
          "<path class=\"axis\" d=\"M{0:f1} {1:f0}V{2:f0}\"/>\n<text "
          "x=\"{0:f1}\" y=\"{3:f0}\" text-anchor=\"middle\">{4}</text>\n",
          place(tick), top, bottom + 4, bottom + 18, tickText(tick, step));
    out << llvm::formatv("<text x=\"{0:f1}\" y=\"{1:f0}\" "
                         "text-anchor=\"middle\">{2}</text>\n",
                         left + plotWidth / 2, bottom + 36, escapeXml(unit));
  }

  void drawBar(const BenchBar &bar, double middle) {
    out << llvm::formatv("<g>\n<title>{0}</title>\n<text class=\"label\" "
                         "x=\"{1:f0}\" y=\"{2:f1}\" "
                         "text-anchor=\"end\">{3}</text>\n",
                         escapeXml(bar.label + ": " + bar.text), left - 10,
                         middle + 4, escapeXml(shorten(bar.label)));
    out << llvm::formatv("<rect class=\"bar\" x=\"{0:f1}\" y=\"{1:f1}\" "
                         "width=\"{2:f1}\" height=\"{3:f0}\" rx=\"2\"/>\n",
                         left, middle - barHeight / 2, place(bar.median) - left,
                         barHeight);
    std::vector<double> sorted = bar.values;
    llvm::sort(sorted);
    for (int dot = 0; dot <= dots && !sorted.empty(); ++dot)
      // A rare value beyond the axis would make it too long for the others.
      if (double value = sorted[size_t(dot) * (sorted.size() - 1) / dots];
          value <= end())
        out << llvm::formatv("<circle class=\"dot\" cx=\"{0:f1}\" "
                             "cy=\"{1:f1}\" r=\"2\"/>\n",
                             place(value), middle + barHeight / 2 + 5);
    for (const BenchMark &mark : bar.marks)
      out << llvm::formatv("<path class=\"mark\" d=\"M{0:f1} {1:f1}v{2:f0}\">"
                           "<title>{3}</title></path>\n",
                           place(mark.value), middle - barHeight / 2 - 3,
                           barHeight + 6, escapeXml(mark.name));
    out << llvm::formatv("<text class=\"figures\" x=\"{0:f1}\" "
                         "y=\"{1:f1}\">{2}</text>\n</g>\n",
                         right() + 14, middle + 4, escapeXml(bar.text));
  }

  llvm::ArrayRef<BenchBar> bars;
  double most = 0; ///< the largest median or mark
  size_t textLength = 0;
  double left = 0, bottom = 0;
  std::string svg;
  llvm::raw_string_ostream out{svg};
};
} // namespace

std::string asSvg(const std::string &title, const std::string &unit,
                  llvm::ArrayRef<BenchBar> bars) {
  return Chart(bars).draw(title, unit);
}

} // namespace tenon::cli
