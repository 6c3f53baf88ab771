// A small read-only tree of a JSON text from a source that is not trusted. Its
// depth, size and number of values are limited, and no object has a key twice.
#ifndef TENON_TOKENIZERS_JSON_H
#define TENON_TOKENIZERS_JSON_H

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tokenizers {

struct JsonMember;

/// One value. It refers to memory of the JsonText that it came from.
class JsonValue {
public:
  enum class Kind : uint8_t {
    Null,
    Boolean,
    Integer,
    Real,
    Text,
    List,
    Object
  };

  JsonValue() = default;
  explicit JsonValue(bool value) : kind(Kind::Boolean) { as.integer = value; }
  explicit JsonValue(int64_t value) : kind(Kind::Integer) {
    as.integer = value;
  }
  explicit JsonValue(double value) : kind(Kind::Real) { as.real = value; }
  explicit JsonValue(std::string_view value)
      : count(value.size()), kind(Kind::Text) {
    as.text = value.data();
  }
  explicit JsonValue(std::span<const JsonValue> items)
      : count(items.size()), kind(Kind::List) {
    as.items = items.data();
  }
  explicit JsonValue(std::span<const JsonMember> members);

  Kind getKind() const { return kind; }
  bool isNull() const { return kind == Kind::Null; }
  bool isBoolean() const { return kind == Kind::Boolean; }
  bool isInteger() const { return kind == Kind::Integer; }
  bool isText() const { return kind == Kind::Text; }
  bool isList() const { return kind == Kind::List; }
  bool isObject() const { return kind == Kind::Object; }

  bool boolean() const { return as.integer != 0; }
  int64_t integer() const { return as.integer; }
  double real() const { return as.real; }
  std::string_view text() const { return {as.text, count}; }
  std::span<const JsonValue> items() const { return {as.items, count}; }
  std::span<const JsonMember> members() const;

  /// The member `key` of an object; null if this is no object or has none.
  const JsonValue *find(std::string_view key) const;

  /// The value for a message: `'text'`, `12`, `a list`.
  std::string describe() const;

private:
  union {
    int64_t integer;
    double real;
    const char *text;
    const JsonValue *items;
    const JsonMember *members;
  } as{};
  uint32_t count = 0;
  Kind kind = Kind::Null;
};

struct JsonMember {
  std::string_view key;
  JsonValue value;
};

/// A parsed text, which owns what its values refer to.
class JsonText {
public:
  /// Parses `text`. Throws Failure with `file` in its text.
  JsonText(std::string_view text, const std::string &file);
  ~JsonText();
  JsonText(JsonText &&) noexcept;

  const JsonValue &getRoot() const { return root; }

private:
  friend class JsonBuilder;

  /// Memory in chunks that stay where they are.
  char *allocate(size_t bytes, size_t alignment);

  std::vector<std::unique_ptr<char[]>> chunks;
  size_t used = 0, size = 0;
  JsonValue root;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_JSON_H
