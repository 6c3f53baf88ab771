// Reads the fields of a JSON object, and says which are missing or of a wrong
// kind. Fields that nobody asks for are ignored, as in Hugging Face's library.
#ifndef TENON_TOKENIZERS_FIELDS_H
#define TENON_TOKENIZERS_FIELDS_H

#include "tokenizers/Failure.h"
#include "tokenizers/Json.h"

#include <optional>

namespace tenon::tokenizers {

class Fields {
public:
  /// `value` must be an object; otherwise there is a finding, and no field.
  Fields(const JsonValue &value, std::string place, Findings &findings)
      : value(value), place(std::move(place)), findings(findings) {
    if (!value.isObject())
      findings.invalid(this->place,
                       "expected an object, got " + value.describe());
  }

  const JsonValue *find(std::string_view key) const { return value.find(key); }
  /// The same for a field that is null or missing.
  bool isAbsent(std::string_view key) const {
    const JsonValue *field = find(key);
    return !field || field->isNull();
  }

  /// The place of a field in messages.
  std::string placeOf(std::string_view key) const {
    return place.empty() ? std::string(key) : place + "." + std::string(key);
  }
  const std::string &getPlace() const { return place; }
  Findings &getFindings() const { return findings; }

  /// A text; if it is missing or no text there is a finding. An absent field
  /// has the value of `fallback`, if that is given.
  std::string_view text(std::string_view key,
                        std::optional<std::string_view> fallback = {}) const {
    return get<std::string_view>(
        key, fallback, "a text", &JsonValue::isText,
        [](const JsonValue &field) { return field.text(); });
  }
  bool boolean(std::string_view key, std::optional<bool> fallback = {}) const {
    return get<bool>(key, fallback, "true or false", &JsonValue::isBoolean,
                     [](const JsonValue &field) { return field.boolean(); });
  }
  int64_t integer(std::string_view key,
                  std::optional<int64_t> fallback = {}) const {
    return get<int64_t>(key, fallback, "a whole number", &JsonValue::isInteger,
                        [](const JsonValue &field) { return field.integer(); });
  }
  std::span<const JsonValue> list(std::string_view key) const {
    return get<std::span<const JsonValue>>(
        key, std::nullopt, "a list", &JsonValue::isList,
        [](const JsonValue &field) { return field.items(); });
  }

  /// The finding for a value that is none of `known`.
  void refuse(std::string_view key, const std::string &known) const {
    const JsonValue *field = find(key);
    findings.unsupported(placeOf(key),
                         "expected " + known + ", got " +
                             (field ? field->describe() : "nothing"));
  }

private:
  template <typename T, typename Take>
  T get(std::string_view key, std::optional<T> fallback, const char *expected,
        bool (JsonValue::*is)() const, Take take) const {
    const JsonValue *field = find(key);
    if (field && (field->*is)())
      return take(*field);
    if (fallback && (!field || field->isNull()))
      return *fallback;
    if (value.isObject())
      findings.invalid(placeOf(key),
                       std::string("expected ") + expected + ", got " +
                           (field ? field->describe() : "nothing"));
    return fallback.value_or(T());
  }

  const JsonValue &value;
  std::string place;
  Findings &findings;
};

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_FIELDS_H
