// The result of `tenon bench` as a picture.
#ifndef TENON_TOOLS_TENON_BENCHCHART_H
#define TENON_TOOLS_TENON_BENCHCHART_H

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace tenon::cli {

/// A value that a bar is compared with: "p99" or "floor".
struct BenchMark {
  std::string name;
  double value;
};

/// One row of the chart. All values are in the chart's unit.
struct BenchBar {
  std::string label;          ///< "resnet50, batch 1, 2 threads"
  std::string text;           ///< right of the bar: the row's figures
  double median;              ///< length of the bar
  std::vector<double> values; ///< of each run
  std::vector<BenchMark> marks;
};

/// An SVG with one bar for each row, the values of its runs as dots, and its
/// marks as lines. Titles and a description tell the same as text.
std::string asSvg(const std::string &title, const std::string &unit,
                  llvm::ArrayRef<BenchBar> bars);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_BENCHCHART_H
