// Tables of measured values, as Markdown or CSV.
#ifndef TENON_TOOLS_TENON_TABLE_H
#define TENON_TOOLS_TENON_TABLE_H

#include <string>
#include <vector>

namespace tenon::cli {

/// The first column is aligned to the left, the others to the right.
std::string asMarkdown(const std::vector<std::vector<std::string>> &cells);

std::string asCsv(const std::vector<std::vector<std::string>> &cells);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TABLE_H
