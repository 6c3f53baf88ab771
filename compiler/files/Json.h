// JSON texts as values. Parsing is bounded in depth and in the
// number of values, and a key that stands twice in an object is an error: other
// readers would keep one of the two.
#ifndef TENON_COMPILER_FILES_JSON_H
#define TENON_COMPILER_FILES_JSON_H

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon {

struct Json;
struct JsonMember;
using JsonArray = std::vector<Json>;
/// Members in the order of the text.
using JsonObject = std::vector<JsonMember>;

/// An integer that fits int64 is an int64_t; every other number is a double.
struct Json {
  std::variant<std::monostate, bool, int64_t, double, std::string, JsonArray,
               JsonObject>
      value;

  bool isNull() const { return std::holds_alternative<std::monostate>(value); }
  template <typename T> const T *get() const { return std::get_if<T>(&value); }
  /// The member `key` of an object, else null.
  const Json *find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  Json value;
};

struct JsonLimits {
  size_t depth = 64;         ///< nested arrays and objects
  size_t values = 1'000'000; ///< all values of the text
};

/// Parses a text with one value. Throws ReadFailure, whose place is an offset
/// or the path of a key.
Json parseJson(std::string_view text, const JsonLimits &limits = {});

/// `value` for messages; long values are cut.
std::string spell(const Json &value);

} // namespace tenon

#endif // TENON_COMPILER_FILES_JSON_H
