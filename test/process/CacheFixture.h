// Common parts of the tests of the cache of `tenon run`: commands that use the
// cache, and its contents.
#ifndef TENON_TEST_PROCESS_CACHEFIXTURE_H
#define TENON_TEST_PROCESS_CACHEFIXTURE_H

#include "test/process/CompileTest.h"

#include <cstring>

namespace tenon::test {

class Cache : public CompileTest {
protected:
  std::string root() const { return output / "cache"; }

  Command with(std::vector<std::string> arguments) const {
    Command command;
    command.arguments = std::move(arguments);
    command.environment = {{"TENON_CACHE_DIR", root()},
                           {"TENON_CACHE_LIMIT", "1G"}};
    return command;
  }
  Command running(const std::string &model) const {
    return with({"run", models / model, "-mcpu=x86-64-v3", "-O0",
                 "--input=ones", "--output=@" + result()});
  }
  Command caching(const std::string &model) const {
    return with(
        {"compile", "--cache", models / model, "-mcpu=x86-64-v3", "-O0"});
  }
  std::string result() const { return models / "y.npy"; }

  /// The row that a run has written to its output file.
  std::vector<float> row() const {
    std::string bytes = readWhole(result());
    std::vector<float> values(modelElements);
    size_t size = values.size() * sizeof(float);
    if (bytes.size() < size)
      return {};
    memcpy(values.data(), bytes.data() + bytes.size() - size, size);
    return values;
  }

  static bool compiled(const Ended &ended) {
    return ended.err.find("compiled in ") != std::string::npos;
  }
  static int warnings(const Ended &ended) {
    int count = 0;
    for (size_t at = 0;
         (at = ended.err.find("warning: ", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }

  /// The names of entries in the cache, and the names of other files there.
  std::vector<std::string> entries() const { return names(true); }
  std::vector<std::string> leftovers() const { return names(false); }
  std::vector<std::string> names(bool entry) const {
    std::vector<std::string> found;
    for (const auto &each : std::filesystem::directory_iterator(root()))
      if ((each.path().filename().string().size() == 64) == entry)
        found.push_back(each.path());
    return found;
  }

  /// Compiles into the cache and returns the artifact's path.
  std::string cached(const std::string &model,
                     std::vector<std::string> more = {}) {
    Command command = caching(model);
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    Ended ended = runTenon(command);
    EXPECT_EQ(ended.code, 0) << ended.err;
    return ended.out.substr(0, ended.out.find('\n'));
  }
};

} // namespace tenon::test

#endif // TENON_TEST_PROCESS_CACHEFIXTURE_H
