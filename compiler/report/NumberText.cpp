// Writes elements and bounds as text. The extreme values of a type are no
// bounds.
#include "compiler/report/NumberText.h"

#include <charconv>

namespace tenon {

std::string numberText(tenon_number number, int32_t dtype) {
  if (dtype == TENON_I64)
    return std::to_string(number.integer);
  char text[64];
  std::to_chars_result end =
      dtype == TENON_F32
          ? std::to_chars(text, text + sizeof text, float(number.real))
          : std::to_chars(text, text + sizeof text, number.real);
  return {text, end.ptr};
}

std::string boundsText(const std::string &least, const std::string &greatest) {
  bool isOpenBelow = least == "-inf" || least == std::to_string(INT64_MIN);
  bool isOpenAbove = greatest == "inf" || greatest == std::to_string(INT64_MAX);
  if (isOpenBelow && isOpenAbove)
    return "not NaN";
  if (isOpenAbove)
    return "at least " + least;
  if (isOpenBelow)
    return "at most " + greatest;
  return least + " to " + greatest;
}

static std::string
listFrom(const std::vector<int64_t> &dims, size_t depth, int64_t &next,
         const std::function<std::string(int64_t)> &element) {
  if (depth == dims.size())
    return element(next++);
  std::string text = "[";
  for (int64_t i = 0; i < dims[depth]; ++i)
    text += (i ? ", " : "") + listFrom(dims, depth + 1, next, element);
  return text + "]";
}

std::string listText(const std::vector<int64_t> &dims,
                     const std::function<std::string(int64_t)> &element) {
  // Without elements an outer extent may be huge.
  for (int64_t dim : dims)
    if (dim == 0)
      return "[]";
  int64_t next = 0;
  return listFrom(dims, 0, next, element);
}

} // namespace tenon
