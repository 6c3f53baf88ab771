// Builds values from nlohmann's events. Its parser does not recurse, so depth
// is limited only to protect the readers of the values.
#include "compiler/files/Json.h"

#include "compiler/files/ReadFailure.h"

#include <nlohmann/json.hpp>
#include <unordered_set>

namespace tenon {
namespace {

/// The receiver of nlohmann's events. The names of its functions are given.
class Builder {
public:
  explicit Builder(const JsonLimits &limits) : limits(limits) {}

  bool null() { return add({}); }
  bool boolean(bool flag) { return add({flag}); }
  bool number_integer(int64_t number) { return add({number}); }
  bool number_unsigned(uint64_t number) {
    return number <= INT64_MAX ? add({int64_t(number)}) : add({double(number)});
  }
  bool number_float(double number, const std::string &) {
    return add({number});
  }
  bool string(std::string &text) { return add({std::move(text)}); }
  bool binary(nlohmann::json::binary_t &) { return false; }

  bool start_object(size_t) { return open(JsonObject()); }
  bool start_array(size_t) { return open(JsonArray()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string &name) {
    Level &level = levels.back();
    if (!level.keys.insert(name).second)
      fail(path(name), "the key stands twice in its object");
    level.key = std::move(name);
    return true;
  }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::json::exception &error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    // "[json.exception.out_of_range.406] number overflow parsing ..."
    std::string text = error.what();
    text = text.substr(text.find("] ") + 2);
    if (size_t colon = text.find(": ");
        text.starts_with("parse error") && colon != std::string::npos)
      text = text.substr(colon + 2);
    // The position counts bytes from one, and bytes beyond the end.
    fail("offset " + std::to_string(position ? position - 1 : 0),
         "not JSON: " + text);
  }

  Json root;

private:
  struct Level {
    Json value;
    std::string key; ///< the member under construction
    std::unordered_set<std::string> keys;
  };

  std::string path(const std::string &last) const {
    std::string text = "\"";
    for (const Level &level : levels)
      if (&level != &levels.back() && !level.key.empty())
        text += level.key.substr(0, 256) + ".";
    return text + last.substr(0, 256) + "\"";
  }

  void count() {
    if (++values > limits.values)
      fail("",
           "expected at most " + std::to_string(limits.values) +
               " values in a JSON text",
           Status::Limit);
  }

  bool add(Json value) {
    count();
    put(std::move(value));
    return true;
  }

  template <typename Container> bool open(Container container) {
    count();
    if (levels.size() == limits.depth)
      fail("",
           "arrays and objects are nested deeper than " +
               std::to_string(limits.depth) + " levels",
           Status::Limit);
    levels.push_back({{std::move(container)}, "", {}});
    return true;
  }

  bool close() {
    Json done = std::move(levels.back().value);
    levels.pop_back();
    put(std::move(done));
    return true;
  }

  void put(Json value) {
    if (levels.empty()) {
      root = std::move(value);
      return;
    }
    Level &level = levels.back();
    if (auto *array = std::get_if<JsonArray>(&level.value.value))
      array->push_back(std::move(value));
    else
      std::get<JsonObject>(level.value.value)
          .push_back({level.key, std::move(value)});
  }

  const JsonLimits &limits;
  std::vector<Level> levels; ///< the containers that are open
  size_t values = 0;
};
} // namespace

const Json *Json::find(std::string_view key) const {
  if (const auto *members = get<JsonObject>())
    for (const auto &[name, member] : *members)
      if (name == key)
        return &member;
  return nullptr;
}

Json parseJson(std::string_view text, const JsonLimits &limits) {
  Builder builder(limits);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return std::move(builder.root);
}

std::string spell(const Json &value) {
  struct Speller {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(int64_t number) const {
      return std::to_string(number);
    }
    std::string operator()(double number) const {
      return nlohmann::json(number).dump();
    }
    std::string operator()(const std::string &text) const {
      return tenon::quoted(text);
    }
    std::string operator()(const JsonArray &array) const {
      return "an array of " + std::to_string(array.size()) + " values";
    }
    std::string operator()(const JsonObject &object) const {
      return "an object of " + std::to_string(object.size()) + " members";
    }
  };
  return std::visit(Speller(), value.value);
}

} // namespace tenon
