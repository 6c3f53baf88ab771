// Each function checks type and range of one key and names the key, the value
// and what was expected.
#include "compiler/import/huggingface/reader/ConfigReader.h"

#include "compiler/files/ReadFailure.h"

#include <cmath>

namespace tenon::hf {

ConfigReader::ConfigReader(const Json &object, std::string path)
    : json(object), path(std::move(path)) {
  if (!json.get<JsonObject>())
    fail(this->path.empty() ? "" : "\"" + this->path + "\"",
         "expected an object, got " + spell(json));
}

std::string ConfigReader::place(std::string_view key) const {
  return "\"" + path + (path.empty() ? "" : ".") + std::string(key) + "\"";
}

void ConfigReader::expected(std::string_view key,
                            const std::string &what) const {
  const Json *value = json.find(key);
  fail(place(key),
       "expected " + what + ", got " + (value ? spell(*value) : "nothing"));
}

void ConfigReader::unsupported(std::string_view key,
                               const std::string &help) const {
  const Json *value = json.find(key);
  throw ReadFailure{Status::Unsupported, place(key),
                    (value ? spell(*value) : "its default") +
                        std::string(" is not supported"),
                    help};
}

const Json *ConfigReader::find(std::string_view key) const {
  const Json *value = json.find(key);
  return value && !value->isNull() ? value : nullptr;
}

bool ConfigReader::isNull(std::string_view key) const {
  const Json *value = json.find(key);
  return value && value->isNull();
}

int64_t ConfigReader::integer(std::string_view key, int64_t least, int64_t most,
                              std::optional<int64_t> absent) const {
  const Json *value = find(key);
  if (!value && absent)
    return *absent;
  const auto *number = value ? value->get<int64_t>() : nullptr;
  if (!number || *number < least || *number > most)
    expected(key, "an integer from " + std::to_string(least) + " to " +
                      std::to_string(most));
  return *number;
}

double numberIn(const Json *value) {
  if (const auto *integer = value ? value->get<int64_t>() : nullptr)
    return double(*integer);
  if (const auto *real = value ? value->get<double>() : nullptr)
    return *real;
  return std::nan("");
}

double ConfigReader::positive(std::string_view key,
                              std::optional<double> absent) const {
  const Json *value = find(key);
  if (!value && absent)
    return *absent;
  double number = numberIn(value);
  if (!(number > 0) || !std::isfinite(number))
    expected(key, "a number above 0");
  return number;
}

double ConfigReader::number(std::string_view key, double least, double most,
                            double absent) const {
  const Json *value = find(key);
  if (!value)
    return absent;
  double number = numberIn(value);
  if (!(number >= least && number <= most))
    expected(key, "a number from " + spell({least}) + " to " + spell({most}));
  return number;
}

bool ConfigReader::flag(std::string_view key, bool absent) const {
  const Json *value = find(key);
  if (!value)
    return absent;
  if (const bool *flag = value->get<bool>())
    return *flag;
  expected(key, "true or false");
}

std::string ConfigReader::text(std::string_view key,
                               std::string_view absent) const {
  const Json *value = find(key);
  if (!value)
    return std::string(absent);
  if (const auto *text = value->get<std::string>())
    return *text;
  expected(key, "a text");
}

ConfigReader ConfigReader::object(std::string_view key) const {
  return ConfigReader(*find(key),
                      path + (path.empty() ? "" : ".") + std::string(key));
}

void ConfigReader::expectUnset(
    std::initializer_list<std::string_view> keys) const {
  for (std::string_view key : keys)
    if (const Json *value = find(key)) {
      const bool *flag = value->get<bool>();
      if (!flag || *flag)
        unsupported(key);
    }
}

} // namespace tenon::hf
