// A temporary folder for each test on files, and an open that checks that a
// failure leaves nothing behind.
#ifndef TENON_TEST_RUNTIME_ARTIFACTFOLDER_H
#define TENON_TEST_RUNTIME_ARTIFACTFOLDER_H

#include "test/runtime/Session.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tenon::test {

using Bytes = std::vector<char>;

inline Bytes readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

inline void writeFile(const std::string &path, const Bytes &bytes) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), std::streamsize(bytes.size()));
}

/// The result of an open.
struct Opened {
  tenon_status status;
  std::string text;
};

/// Opens the artifact and closes it again.
inline Opened tryOpen(const std::string &path,
                      tenon_open_options options = {}) {
  char text[1024] = "";
  tenon_model *model = nullptr;
  options.struct_size = sizeof options;
  options.error_text = text;
  options.error_text_bytes = sizeof text;
  options.threads = 1;
  tenon_status status = tenon_open(path.c_str(), &options, &model);
  EXPECT_EQ(status == TENON_OK, model != nullptr);
  EXPECT_EQ(status == TENON_OK, text[0] == 0) << text;
  tenon_close(model);
  return {status, text};
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class ArtifactFolder : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern =
        std::filesystem::temp_directory_path() / "tenon-loader-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string path(const std::string &name) const {
    return (folder / name).string();
  }
  std::filesystem::path folder;
};

} // namespace tenon::test

#endif // TENON_TEST_RUNTIME_ARTIFACTFOLDER_H
