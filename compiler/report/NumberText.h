// Elements and their bounds as text, for headers and summaries of models.
#ifndef TENON_COMPILER_REPORT_NUMBERTEXT_H
#define TENON_COMPILER_REPORT_NUMBERTEXT_H

#include "runtime/tenon_abi.h"

#include <functional>
#include <string>
#include <vector>

namespace tenon {

/// A bound of elements of `dtype`: the shortest text that reads back as it.
std::string numberText(tenon_number number, int32_t dtype);

/// Two bounds given as texts: "1 to 64", "at least 0", "at most 1".
std::string boundsText(const std::string &least, const std::string &greatest);

/// The elements of a tensor with extents `dims` as nested lists: "7",
/// "[1, 2]", "[[1, 2], [3, 4]]".
std::string listText(const std::vector<int64_t> &dims,
                     const std::function<std::string(int64_t)> &element);

} // namespace tenon

#endif // TENON_COMPILER_REPORT_NUMBERTEXT_H
