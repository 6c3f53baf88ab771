// Builds the tree from the events of nlohmann's parser, which does not recurse.
// Values of containers that are still open lie on one stack; a container that
// ends is copied into the tree's own memory.
#include "tokenizers/Json.h"

#include "tokenizers/DecimalNumber.h"
#include "tokenizers/Failure.h"
#include "tokenizers/TextIndex.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

namespace tenon::tokenizers {

static constexpr size_t maxBytes = size_t(128) << 20;
static constexpr size_t maxDepth = 64;
static constexpr size_t maxValues = size_t(2) << 20;
static constexpr size_t maxTextBytes = size_t(1) << 20;

JsonValue::JsonValue(std::span<const JsonMember> members)
    : count(members.size()), kind(Kind::Object) {
  as.members = members.data();
}

std::span<const JsonMember> JsonValue::members() const {
  return {as.members, count};
}

const JsonValue *JsonValue::find(std::string_view key) const {
  if (isObject())
    for (const JsonMember &member : members())
      if (member.key == key)
        return &member.value;
  return nullptr;
}

std::string JsonValue::describe() const {
  switch (kind) {
  case Kind::Null:
    return "null";
  case Kind::Boolean:
    return boolean() ? "true" : "false";
  case Kind::Integer:
    return std::to_string(integer());
  case Kind::Real: {
    char digits[32];
    snprintf(digits, sizeof digits, "%.17g", real());
    return digits;
  }
  case Kind::Text:
    return quoted(text());
  case Kind::List:
    return "a list";
  case Kind::Object:
    break;
  }
  return "an object";
}

class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
public:
  JsonBuilder(JsonText &tree, const std::string &file)
      : tree(tree), file(file) {}

  bool null() override { return add(JsonValue()); }
  bool boolean(bool value) override { return add(JsonValue(value)); }
  bool number_integer(number_integer_t value) override {
    return add(JsonValue(int64_t(value)));
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > uint64_t(INT64_MAX))
      return add(JsonValue(double(value)));
    return add(JsonValue(int64_t(value)));
  }
  bool number_float(number_float_t, const string_t &text) override {
    return add(JsonValue(decimalNumber(text)));
  }
  bool string(string_t &value) override { return add(JsonValue(keep(value))); }
  bool binary(binary_t &) override { return false; }

  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool key(string_t &name) override {
    nextKey = keep(name);
    return true;
  }
  bool end_object() override {
    std::span<const JsonMember> members =
        std::span(stack).subspan(starts.back());
    checkKeys(members);
    auto *kept = reinterpret_cast<JsonMember *>(
        tree.allocate(members.size_bytes(), alignof(JsonMember)));
    std::uninitialized_copy(members.begin(), members.end(), kept);
    return close(JsonValue(std::span<const JsonMember>(kept, members.size())));
  }
  bool end_array() override {
    std::span<const JsonMember> members =
        std::span(stack).subspan(starts.back());
    auto *kept = reinterpret_cast<JsonValue *>(
        tree.allocate(members.size() * sizeof(JsonValue), alignof(JsonValue)));
    for (size_t i = 0; i < members.size(); ++i)
      new (kept + i) JsonValue(members[i].value);
    return close(JsonValue(std::span<const JsonValue>(kept, members.size())));
  }

  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &error) override {
    // The text of the exception repeats the position and quotes its class.
    std::string what = error.what();
    size_t from = what.find("syntax error");
    fail(TENON_TOKENIZER_INVALID,
         "offset " + std::to_string(position) + ": expected JSON, got a " +
             (from == std::string::npos ? "damaged text" : what.substr(from)));
    return false;
  }

  JsonValue takeRoot() const { return stack.front().value; }

private:
  [[noreturn]] void fail(tenon_tokenizer_status status,
                         const std::string &text) const {
    throw Failure{status, file + ": " + text};
  }

  std::string_view keep(const std::string &text) {
    if (text.size() > maxTextBytes)
      fail(TENON_TOKENIZER_LIMIT,
           "expected texts of at most " + std::to_string(maxTextBytes) +
               " bytes, got " + std::to_string(text.size()));
    char *kept = tree.allocate(text.size(), 1);
    std::copy(text.begin(), text.end(), kept);
    return {kept, text.size()};
  }

  bool add(JsonValue value) {
    if (++values > maxValues)
      fail(TENON_TOKENIZER_LIMIT,
           "expected at most " + std::to_string(maxValues) + " values");
    stack.push_back({nextKey, value});
    return true;
  }

  bool open() {
    if (starts.size() == maxDepth)
      fail(TENON_TOKENIZER_LIMIT, "expected lists and objects at most " +
                                      std::to_string(maxDepth) + " deep");
    keys.push_back(nextKey);
    starts.push_back(stack.size());
    return true;
  }

  bool close(JsonValue value) {
    stack.resize(starts.back());
    nextKey = keys.back();
    starts.pop_back();
    keys.pop_back();
    return add(value);
  }

  void checkKeys(std::span<const JsonMember> members) const {
    TextIndex keys(members.size());
    auto keyOf = [&](uint32_t i) { return members[i].key; };
    for (uint32_t i = 0; i < members.size(); ++i)
      if (keys.add(i, keyOf) != i)
        fail(TENON_TOKENIZER_INVALID, "expected each key once, got " +
                                          quoted(members[i].key) + " twice");
  }

  JsonText &tree;
  const std::string &file;
  std::string_view nextKey;
  std::vector<JsonMember> stack;
  std::vector<size_t> starts;
  std::vector<std::string_view> keys;
  size_t values = 0;
};

char *JsonText::allocate(size_t bytes, size_t alignment) {
  used = (used + alignment - 1) / alignment * alignment;
  if (used + bytes > size) {
    size = std::max(bytes, size_t(1) << 16);
    // The last chunk may be large; a new one begins aligned.
    chunks.push_back(std::make_unique_for_overwrite<char[]>(size));
    used = 0;
  }
  char *place = chunks.empty() ? nullptr : chunks.back().get() + used;
  used += bytes;
  return place;
}

JsonText::JsonText(std::string_view text, const std::string &file) {
  if (text.size() > maxBytes)
    throw Failure{TENON_TOKENIZER_LIMIT,
                  file + ": expected at most " + std::to_string(maxBytes) +
                      " bytes, got " + std::to_string(text.size())};
  JsonBuilder builder(*this, file);
  nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  root = builder.takeRoot();
}

JsonText::~JsonText() = default;
JsonText::JsonText(JsonText &&) noexcept = default;

} // namespace tenon::tokenizers
