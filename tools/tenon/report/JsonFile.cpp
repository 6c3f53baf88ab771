// The parser is bounded, and refuses numbers that a double cannot hold.
#include "tools/tenon/report/JsonFile.h"

#include "compiler/files/ReadFailure.h"
#include "tools/tenon/OutputFile.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace tenon::cli {

/// A trace has a few values for each launch.
constexpr JsonLimits limits{.depth = 64, .values = 100'000'000};

void JsonReader::expect(const std::string &what) const {
  if (fault.text.empty())
    fault = {place, "expected " + what + ", got " +
                        (value ? spell(*value) : "nothing")};
}

bool JsonReader::isNull() const { return value && value->isNull(); }

JsonReader JsonReader::member(llvm::StringRef key) const {
  bool isObject = value && value->get<JsonObject>();
  if (!isObject)
    expect("an object");
  return JsonReader(isObject ? value->find(key) : nullptr,
                    place + (place.empty() ? "" : ".") + key.str(), fault);
}

void JsonReader::each(llvm::function_ref<void(JsonReader)> read) const {
  const JsonArray *array = value ? value->get<JsonArray>() : nullptr;
  if (!array)
    return expect("an array");
  for (size_t i = 0; i < array->size(); ++i)
    read(
        JsonReader(&(*array)[i], place + "[" + std::to_string(i) + "]", fault));
}

std::string JsonReader::text() const {
  const std::string *text = value ? value->get<std::string>() : nullptr;
  if (!text)
    expect("a string");
  return text ? *text : "";
}

bool JsonReader::boolean() const {
  const bool *boolean = value ? value->get<bool>() : nullptr;
  if (!boolean)
    expect("true or false");
  return boolean && *boolean;
}

int64_t JsonReader::integer(int64_t least, int64_t most) const {
  const int64_t *integer = value ? value->get<int64_t>() : nullptr;
  if (integer && *integer >= least && *integer <= most)
    return *integer;
  std::string range;
  if (least > std::numeric_limits<int64_t>::min())
    range += " of at least " + std::to_string(least);
  if (most < std::numeric_limits<int64_t>::max())
    range += " and at most " + std::to_string(most);
  expect(least == most ? std::to_string(least) : "an integer" + range);
  return 0;
}

double JsonReader::number(int64_t least) const {
  const int64_t *integer = value ? value->get<int64_t>() : nullptr;
  const double *number = value ? value->get<double>() : nullptr;
  double found = integer ? double(*integer) : number ? *number : NAN;
  if (found >= double(least))
    return found;
  expect(llvm::formatv("a number of at least {0}", least));
  return 0;
}

Status readJson(Talk &talk, const std::string &path,
                const std::string &expected,
                llvm::function_ref<void(JsonReader)> read) {
  std::string content;
  if (Status status = readWhole(talk, path, content); status != Status::Success)
    return status;
  JsonReader::Fault fault;
  try {
    Json parsed = parseJson(content, limits);
    read(JsonReader(&parsed, "", fault));
  } catch (const ReadFailure &failure) {
    fault = {failure.place, failure.text};
  }
  if (fault.text.empty())
    return Status::Success;
  Diagnostic d;
  d.file = path;
  d.place = fault.place;
  d.text = fault.text;
  d.help = "expected " + expected;
  d.status = Status::InvalidModel;
  return talk.say(d);
}

} // namespace tenon::cli
