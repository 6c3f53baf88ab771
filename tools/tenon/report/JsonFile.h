// Reads files of JSON that other commands of the tool have written.
#ifndef TENON_TOOLS_TENON_REPORT_JSONFILE_H
#define TENON_TOOLS_TENON_REPORT_JSONFILE_H

#include "compiler/files/Json.h"
#include "tools/tenon/Talk.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <limits>
#include <string>

namespace tenon::cli {

/// A value of a JSON file, or a place without one. A value that is not as
/// expected reads as zero or empty, and the first of a file is kept as its
/// fault.
class JsonReader {
public:
  struct Fault {
    std::string place; ///< "values[2].name"
    std::string text;  ///< "expected a string, got nothing"; empty: no fault
  };

  /// `value` may be null: there is none at `place`.
  JsonReader(const Json *value, std::string place, Fault &fault)
      : value(value), place(std::move(place)), fault(fault) {}

  bool isThere() const { return value; }
  bool isNull() const;

  /// The member `key` of an object.
  JsonReader member(llvm::StringRef key) const;

  /// Calls `read` for each element of an array.
  void each(llvm::function_ref<void(JsonReader)> read) const;

  std::string text() const;
  bool boolean() const;
  int64_t integer(int64_t least = std::numeric_limits<int64_t>::min(),
                  int64_t most = std::numeric_limits<int64_t>::max()) const;

  /// A number that is at least `least`.
  double number(int64_t least) const;

private:
  /// Keeps the fault, unless there is one.
  void expect(const std::string &what) const;

  const Json *value;
  std::string place;
  Fault &fault;
};

/// Reads the file `path` by `read`. A file that is no JSON or has a fault is
/// InvalidModel. `expected` says which file was expected.
Status readJson(Talk &talk, const std::string &path,
                const std::string &expected,
                llvm::function_ref<void(JsonReader)> read);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_REPORT_JSONFILE_H
