// Statistics skip NaN and report their number. Among equal largest values the
// lower index comes first.
#include "tools/tenon/TensorPrinting.h"

#include "compiler/report/Diagnostic.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tenon::cli {

/// The most rows along the last axis that --print-top shows.
static constexpr int64_t maxRows = 8;
/// Outputs of at most this many elements are printed by default.
static constexpr int64_t smallOutput = 16;

namespace {
struct Statistics {
  double min = INFINITY, max = -INFINITY, mean = 0;
  int64_t counted = 0, nans = 0;
};
} // namespace

static Statistics statisticsOf(const Tensor &tensor) {
  Statistics s;
  double sum = 0;
  for (int64_t i = 0, n = tensor.getNumElements(); i < n; ++i) {
    double value = elementAsDouble(tensor, i);
    if (std::isnan(value)) {
      ++s.nans;
      continue;
    }
    s.min = std::min(s.min, value);
    s.max = std::max(s.max, value);
    sum += value;
    ++s.counted;
  }
  s.mean = s.counted ? sum / s.counted : 0;
  return s;
}

/// The indices of the `count` largest elements of the row at `start`.
static std::vector<int64_t> largest(const Tensor &tensor, int64_t start,
                                    int64_t length, int64_t count) {
  std::vector<int64_t> order(length);
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](int64_t i) {
    double value = elementAsDouble(tensor, start + i);
    return std::isnan(value) ? -INFINITY : value;
  };
  count = std::min(count, length);
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](int64_t a, int64_t b) {
                      double x = key(a), y = key(b);
                      return x != y ? x > y : a < b;
                    });
  order.resize(count);
  return order;
}

static int64_t rowLength(const Tensor &tensor) {
  return tensor.dims.empty() ? 1 : tensor.dims.back();
}

static int64_t numValuesShown(const Tensor &tensor,
                              const PrintOptions &options) {
  int64_t count = tensor.getNumElements();
  if (options.values >= 0)
    return std::min(count, options.values);
  return count <= smallOutput && options.top == 0 ? count : 0;
}

static void printRow(llvm::raw_ostream &out, const Tensor &tensor,
                     int64_t start, const PrintOptions &options) {
  const char *separator = "  ";
  for (int64_t i : largest(tensor, start, rowLength(tensor), options.top)) {
    out << separator << i;
    if (i < int64_t(options.labels.size()))
      out << ' ' << escapeForTerminal(options.labels[i]);
    out << ' ' << llvm::formatv("{0:f4}", elementAsDouble(tensor, start + i));
    separator = "   ";
  }
  out << '\n';
}

void printTensor(llvm::raw_ostream &out, const Tensor &tensor,
                 const PrintOptions &options) {
  out << escapeForTerminal(tensor.name) << "  "
      << typeText(tensor.dtype, tensor.dims);
  int64_t count = tensor.getNumElements();
  Statistics s = statisticsOf(tensor);
  if (count == 0)
    out << "  empty";
  char text[128];
  if (s.counted > 0) {
    snprintf(text, sizeof text, "  min %.6g max %.6g mean %.6g", s.min, s.max,
             s.mean);
    out << text;
  }
  if (s.nans > 0)
    out << "  " << s.nans << " NaN";
  out << '\n';
  if (options.top > 0 && count > 0) {
    int64_t length = rowLength(tensor), rows = count / length;
    for (int64_t row = 0; row < std::min(rows, maxRows); ++row)
      printRow(out, tensor, row * length, options);
    if (rows > maxRows)
      out << "  ... " << rows - maxRows << " more rows\n";
  }
  int64_t shown = numValuesShown(tensor, options);
  for (int64_t i = 0; i < shown; ++i)
    out << (i ? " " : "  ") << elementText(tensor, i);
  if (shown > 0)
    out << (shown < count ? " ...\n" : "\n");
}

static llvm::json::Value jsonNumber(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

llvm::json::Object tensorAsJson(const Tensor &tensor,
                                const PrintOptions &options) {
  Statistics s = statisticsOf(tensor);
  llvm::json::Object object{{"name", llvm::json::fixUTF8(tensor.name)},
                            {"dtype", tenon_dtype_name(tensor.dtype)},
                            {"dims", llvm::json::Array(tensor.dims)},
                            {"nan", s.nans}};
  if (s.counted > 0) {
    object["min"] = jsonNumber(s.min);
    object["max"] = jsonNumber(s.max);
    object["mean"] = jsonNumber(s.mean);
  }
  int64_t count = tensor.getNumElements();
  if (options.top > 0 && count > 0) {
    llvm::json::Array rows;
    int64_t length = rowLength(tensor);
    for (int64_t start = 0; start < count; start += length) {
      llvm::json::Array row;
      for (int64_t i : largest(tensor, start, length, options.top)) {
        llvm::json::Object entry{
            {"index", i},
            {"value", jsonNumber(elementAsDouble(tensor, start + i))}};
        if (i < int64_t(options.labels.size()))
          entry["label"] = llvm::json::fixUTF8(options.labels[i]);
        row.push_back(std::move(entry));
      }
      rows.push_back(std::move(row));
    }
    object["top"] = std::move(rows);
  }
  llvm::json::Array values;
  for (int64_t i = 0, n = numValuesShown(tensor, options); i < n; ++i) {
    if (tensor.dtype == TENON_BOOL)
      values.push_back(elementAsBits(tensor, i) != 0);
    else if (tensor.dtype == TENON_U64)
      values.push_back(static_cast<uint64_t>(elementAsBits(tensor, i)));
    else if (isFloat(tensor.dtype))
      values.push_back(jsonNumber(elementAsDouble(tensor, i)));
    else
      values.push_back(elementAsBits(tensor, i));
  }
  object["values"] = std::move(values);
  return object;
}

} // namespace tenon::cli
