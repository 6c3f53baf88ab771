// Checkpoint folders for tests of the reader: files written by hand, and what
// reading them reports.
#ifndef TENON_TEST_HUGGINGFACE_CHECKPOINTFOLDER_H
#define TENON_TEST_HUGGINGFACE_CHECKPOINTFOLDER_H

#include "compiler/files/ReaderBoundary.h"
#include "compiler/import/huggingface/reader/Checkpoint.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tenon::test {

/// The result of reading.
struct Outcome {
  bool done = false;
  std::vector<Diagnostic> said;

  Status status() const {
    return done || said.empty() ? Status::Success : said.back().status;
  }
  std::string text() const {
    std::string all;
    for (const Diagnostic &d : said)
      all += formatDiagnostic(d);
    return all;
  }
};

/// Runs `body`, which may throw as parts of a reader do.
template <typename Body> Outcome outcomeOf(const Body &body) {
  Outcome outcome;
  DiagnosticHandler keep = [&](const Diagnostic &d) {
    outcome.said.push_back(d);
  };
  outcome.done = ReaderBoundary("file", keep).run(body);
  return outcome;
}

/// Expects a refusal with status `want` and a message that contains `words`.
inline void expectRefused(const Outcome &outcome, Status want,
                          const std::string &words) {
  EXPECT_FALSE(outcome.done);
  EXPECT_EQ(int(outcome.status()), int(want)) << outcome.text();
  EXPECT_NE(outcome.text().find(words), std::string::npos)
      << "expected \"" << words << "\" in: " << outcome.text();
}

/// A safetensors file: the length of the header, the header and `dataBytes`
/// zeros.
inline std::string safetensors(const std::string &header, size_t dataBytes) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += char(header.size() >> (8 * i));
  return bytes + header + std::string(dataBytes, '\0');
}

/// A folder that is removed after the test.
class CheckpointFolder : public testing::Test {
public:
  CheckpointFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "tenon-test-XXXXXX").string();
    root = mkdtemp(name.data());
  }
  ~CheckpointFolder() override { std::filesystem::remove_all(root); }

  void write(const std::string &name, const std::string &bytes) const {
    std::filesystem::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << bytes;
  }

  /// Reads `folder` beneath the root.
  Outcome read(const std::string &folder = "") {
    Outcome outcome;
    checkpoint =
        readCheckpoint((root / folder).string(),
                       [&](const Diagnostic &d) { outcome.said.push_back(d); });
    outcome.done = checkpoint != nullptr;
    return outcome;
  }

  std::unique_ptr<hf::Checkpoint> checkpoint;
  std::filesystem::path root;
};

} // namespace tenon::test

#endif // TENON_TEST_HUGGINGFACE_CHECKPOINTFOLDER_H
