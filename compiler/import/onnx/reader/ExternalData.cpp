// Checks location, offset, length and checksum: first as text, then against the
// open file.
#include "compiler/import/onnx/reader/ExternalData.h"

#include "compiler/files/ReadFailure.h"
#include "compiler/files/Sha1.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace tenon::onnx {

/// The number of files kept open; further ones are opened at each use. A
/// process commonly may have 1,024 open files.
static constexpr size_t maxHeldOpen = 64;

static uint64_t parseNumber(const std::string &key, const std::string &value,
                            const std::string &place) {
  uint64_t number = 0;
  const char *end = value.data() + value.size();
  auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc() || stop != end)
    fail(place, "external data: expected " + key +
                    " to be a number from 0 to 2^64-1, got " + quoted(value));
  return number;
}

uint32_t ExternalData::fileOf(const std::string &location,
                              const std::string &place) {
  auto known = opened.find(location);
  if (known != opened.end())
    return known->second;
  try {
    checkRelativeName(location);
    if (!root)
      root = openRoot();
    if (!root)
      throw ReadFailure{
          Status::InvalidModel, place,
          "external data " + quoted(location) +
              ": base directory needed, the model does not come from a file",
          "give the model as a file beside its data"};
    std::shared_ptr<OpenFile> file = root->open(location);
    if (opened.size() >= maxHeldOpen)
      file->releaseDescriptor([root = root, beneath = root->resolve(location)] {
        return root->reopen(beneath);
      });
    auto index = static_cast<uint32_t>(model.files.size());
    model.files.push_back({root->join(location), std::move(file)});
    opened.emplace(location, index);
    return index;
  } catch (const FileError &error) {
    fail(place, "external data: " + error.text, error.status);
  }
}

void ExternalData::verifyChecksum(uint32_t file, const std::string &declared,
                                  const std::string &place) {
  std::string &actual = checksums[file];
  if (actual.empty()) {
    const OpenFile &data = *model.files[file].file;
    Sha1 sha;
    std::vector<std::byte> block(1 << 20);
    for (uint64_t at = 0; at < data.size(); at += block.size()) {
      block.resize(std::min<uint64_t>(block.size(), data.size() - at));
      if (!data.read(at, block.data(), block.size()))
        fail(place,
             "external data: cannot read '" + model.files[file].path + "'",
             Status::Io);
      sha.update(block);
    }
    actual = sha.finish();
  }
  std::string wanted = declared;
  std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (wanted != actual)
    fail(place, "external data: expected checksum " + quoted(declared) +
                    ", got " + actual + " for '" + model.files[file].path +
                    "'");
}

FileRange ExternalData::locate(
    const std::vector<std::pair<std::string, std::string>> &entries,
    uint64_t need, const std::string &place) {
  std::optional<std::string> location, checksum;
  std::optional<uint64_t> offset, length;
  for (const auto &[key, value] : entries) {
    auto once = [&, &key = key](bool seen) {
      if (seen)
        fail(place, "external data: expected " + key + " once, got it twice");
    };
    if (key == "location") {
      once(location.has_value());
      location = value;
    } else if (key == "offset") {
      once(offset.has_value());
      offset = parseNumber(key, value, place);
    } else if (key == "length") {
      once(length.has_value());
      length = parseNumber(key, value, place);
    } else if (key == "checksum") {
      once(checksum.has_value());
      checksum = value;
    } else if (!std::exchange(warned, true)) {
      Diagnostic ignored;
      ignored.severity = Severity::Warning;
      ignored.place = place;
      ignored.text = "external data: key " + quoted(key) + " is ignored";
      warn(std::move(ignored));
    }
  }
  if (!location)
    fail(place, "external data: expected a location, got none");
  if (length && *length != need)
    fail(place, "external data: expected a length of " + std::to_string(need) +
                    " bytes for the tensor's shape and type, got " +
                    std::to_string(*length));

  uint32_t file = fileOf(*location, place);
  uint64_t from = offset.value_or(0), size = model.files[file].file->size();
  if (from > size || need > size - from)
    fail(place, "external data: expected " + std::to_string(need) +
                    " bytes at offset " + std::to_string(from) + " of '" +
                    model.files[file].path + "', which has " +
                    std::to_string(size) + " bytes");
  if (checksum)
    verifyChecksum(file, *checksum, place);
  return {file, from, need};
}

} // namespace tenon::onnx
