// Writes bounds as text. The extreme values of a type are no bounds.
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

} // namespace tenon
