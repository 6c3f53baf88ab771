// The first line of cells is the header.
#include "tools/tenon/Table.h"

#include <algorithm>

namespace tenon::cli {

std::string asMarkdown(const std::vector<std::vector<std::string>> &cells) {
  std::vector<size_t> widths(cells[0].size(), 0);
  for (const auto &line : cells)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (size_t row = 0; row < cells.size(); ++row) {
    text += "|";
    for (size_t i = 0; i < widths.size(); ++i) {
      std::string pad(widths[i] - cells[row][i].size(), ' ');
      text += " " + (i == 0 ? cells[row][i] + pad : pad + cells[row][i]) + " |";
    }
    text += "\n";
    if (row > 0)
      continue;
    text += "|";
    for (size_t i = 0; i < widths.size(); ++i)
      text += (i == 0 ? std::string(widths[i] + 2, '-')
                      : std::string(widths[i] + 1, '-') + ":") +
              "|";
    text += "\n";
  }
  return text;
}

std::string asCsv(const std::vector<std::vector<std::string>> &cells) {
  std::string text;
  for (const auto &line : cells) {
    for (size_t i = 0; i < line.size(); ++i) {
      text += i ? "," : "";
      if (line[i].find_first_of(",\"\n") == std::string::npos) {
        text += line[i];
        continue;
      }
      text += '"';
      for (char c : line[i])
        text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += "\n";
  }
  return text;
}

} // namespace tenon::cli
