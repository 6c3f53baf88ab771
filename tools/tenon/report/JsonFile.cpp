// A number that is too large for a double, such as 1e999, is infinite after
// parsing. It would be written as "inf", which no reader of JSON accepts.
#include "tools/tenon/report/JsonFile.h"

#include "tools/tenon/OutputFile.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace tenon::cli {

static std::string shown(const llvm::json::Value *value) {
  if (!value)
    return "nothing";
  if (value->kind() == llvm::json::Value::Object)
    return "an object";
  if (value->kind() == llvm::json::Value::Array)
    return "an array";
  return llvm::formatv("{0}", *value);
}

void JsonReader::expect(const std::string &what) const {
  if (fault.text.empty())
    fault = {place, "expected " + what + ", got " + shown(value)};
}

bool JsonReader::isNull() const {
  return value && value->kind() == llvm::json::Value::Null;
}

JsonReader JsonReader::member(llvm::StringRef key) const {
  const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    expect("an object");
  return JsonReader(object ? object->get(key) : nullptr,
                    place + (place.empty() ? "" : ".") + key.str(), fault);
}

void JsonReader::each(llvm::function_ref<void(JsonReader)> read) const {
  const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    return expect("an array");
  for (size_t i = 0; i < array->size(); ++i)
    read(
        JsonReader(&(*array)[i], place + "[" + std::to_string(i) + "]", fault));
}

std::string JsonReader::text() const {
  std::optional<llvm::StringRef> text =
      value ? value->getAsString() : std::nullopt;
  if (!text)
    expect("a string");
  return text.value_or("").str();
}

bool JsonReader::boolean() const {
  std::optional<bool> boolean = value ? value->getAsBoolean() : std::nullopt;
  if (!boolean)
    expect("true or false");
  return boolean.value_or(false);
}

int64_t JsonReader::integer(int64_t least, int64_t most) const {
  std::optional<int64_t> integer = value ? value->getAsInteger() : std::nullopt;
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
  std::optional<double> number = value ? value->getAsNumber() : std::nullopt;
  if (number && std::isfinite(*number) && *number >= double(least))
    return *number;
  expect(llvm::formatv("a finite number of at least {0}", least));
  return 0;
}

Status readJson(Talk &talk, const std::string &path,
                const std::string &expected,
                llvm::function_ref<void(JsonReader)> read) {
  std::string content;
  if (Status status = readWhole(talk, path, content); status != Status::Success)
    return status;
  JsonReader::Fault fault;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(content);
  if (parsed)
    read(JsonReader(&*parsed, "", fault));
  else
    fault.text = llvm::toString(parsed.takeError());
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
