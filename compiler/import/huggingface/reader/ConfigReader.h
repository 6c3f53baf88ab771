// Checked access to the keys of a configuration. A key with null counts as
// absent, as in the library that writes these files.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CONFIGREADER_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CONFIGREADER_H

#include "compiler/files/Json.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::hf {

/// The greatest values of the integers that a configuration may have.
constexpr int64_t maxWidth = int64_t(1) << 24;
constexpr int64_t maxLayers = 1024;
/// The number of heads, and the elements of a head: their product and a width
/// are the extents of one tensor.
constexpr int64_t maxHeads = int64_t(1) << 16;
constexpr int64_t maxPositions = int64_t(1) << 26;

/// The functions throw ReadFailure; its place is the path of the key.
class ConfigReader {
public:
  /// `path` is the place of `object` in its file: empty, or "rope_scaling".
  explicit ConfigReader(const Json &object, std::string path = "");

  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Null if the key is absent or null.
  const Json *find(std::string_view key) const;
  /// True if the key is there with the value null.
  bool isNull(std::string_view key) const;

  /// An integer from `least` to `most`. Without a default the key is required.
  int64_t integer(std::string_view key, int64_t least, int64_t most,
                  std::optional<int64_t> absent = std::nullopt) const;
  /// A finite number above zero.
  double positive(std::string_view key,
                  std::optional<double> absent = std::nullopt) const;
  /// A number from `least` to `most`.
  double number(std::string_view key, double least, double most,
                double absent) const;
  bool flag(std::string_view key, bool absent) const;
  std::string text(std::string_view key, std::string_view absent) const;
  /// The object under `key`, which must be there.
  ConfigReader object(std::string_view key) const;

  /// Refuses the value of `key` as valid, but not supported.
  [[noreturn]] void unsupported(std::string_view key,
                                const std::string &help = "") const;
  /// Refuses `key` unless it is absent, null or false.
  void expectUnset(std::initializer_list<std::string_view> keys) const;
  std::string place(std::string_view key) const;

private:
  [[noreturn]] void expected(std::string_view key,
                             const std::string &what) const;

  const Json &json;
  std::string path;
};

/// The number that `value` is. NaN if it is null or something else.
double numberIn(const Json *value);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_CONFIGREADER_H
