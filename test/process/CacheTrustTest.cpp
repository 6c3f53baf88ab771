// Tests that the cache of `tenon run` trusts nothing: damaged entries are
// compiled again, and files that others could have changed are not run.
#include "test/process/CacheFixture.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

class CacheTrust : public Cache {
protected:
  /// Expects one warning about the damaged file `path`, and a new compilation.
  /// `what` describes the damage.
  void expectMadeAgain(const std::string &path, const std::string &what,
                       std::vector<std::string> more = {}) {
    Command command = caching("new.onnx");
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    Ended ended = runTenon(command);
    EXPECT_EQ(ended.code, 0) << what << ended.err;
    EXPECT_EQ(warnings(ended), 1) << what << ended.err;
    EXPECT_NE(ended.err.find("damaged"), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, path + "\n") << what;
    EXPECT_EQ(runArtifact(path), expectedRow(2)) << what;
    EXPECT_TRUE(leftovers().empty()) << what << leftovers()[0];
    ended = runTenon(command);
    EXPECT_EQ(warnings(ended), 0) << what << ended.err;
    EXPECT_FALSE(compiled(ended)) << what;
  }
};

TEST_F(CacheTrust, DamagedBytes) {
  std::string path = cached("new.onnx");
  std::string folder = fs::path(path).parent_path();
  const std::string artifact = readWhole(path);
  const std::string list = readWhole(folder + "/entry");
  auto write = [](const std::string &file, const std::string &bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  };
  for (size_t size : {size_t(0), size_t(1), size_t(63), size_t(64),
                      artifact.size() / 2, artifact.size() - 1}) {
    fs::resize_file(path, size);
    expectMadeAgain(path, "cut at " + std::to_string(size));
  }
  // Most of these bytes belong to the weights, the largest part of the file.
  for (size_t i = 0; i < 12; ++i) {
    std::string flipped = artifact;
    size_t at = artifact.size() * i / 12 + 5;
    flipped[at] ^= 4;
    write(path, flipped);
    expectMadeAgain(path, "flipped at " + std::to_string(at));
  }
  write(path, artifact + "x");
  expectMadeAgain(path, "a byte more");
  for (size_t i = 0; i < 8; ++i) {
    std::string flipped = list;
    flipped[list.size() * i / 8 + 3] ^= 1;
    write(folder + "/entry", flipped);
    expectMadeAgain(path, "a flipped list");
  }
  write(folder + "/entry", "");
  expectMadeAgain(path, "an empty list");
  fs::remove(folder + "/entry");
  expectMadeAgain(path, "no list");
  fs::remove(path);
  expectMadeAgain(path, "no artifact");
  write(folder + "/model.safetensors", "orphan");
  expectMadeAgain(path, "an orphan companion");
  fs::remove_all(folder);
  fs::create_directory(folder);
  expectMadeAgain(path, "an empty entry");
  fs::remove_all(folder);
  write(folder, "no folder");
  expectMadeAgain(path, "a file in its place");
}

TEST_F(CacheTrust, DamagedCompanions) {
  const std::vector<std::string> apart = {"--weights=external"};
  std::string path = cached("new.onnx", apart);
  std::string weights = fs::path(path).parent_path() / "model.safetensors";
  const std::string bytes = readWhole(weights);
  ASSERT_FALSE(bytes.empty());
  fs::resize_file(weights, bytes.size() - 1);
  expectMadeAgain(path, "a cut companion", apart);
  std::string flipped = bytes;
  flipped[bytes.size() / 2] ^= 1;
  std::ofstream(weights, std::ios::binary) << flipped;
  expectMadeAgain(path, "a flipped companion", apart);
  fs::remove(weights);
  expectMadeAgain(path, "no companion", apart);
  EXPECT_EQ(readWhole(weights), bytes);
}

TEST_F(CacheTrust, PlantedLinksAndOtherFiles) {
  std::string path = cached("new.onnx");
  std::string folder = fs::path(path).parent_path();
  // The target of the link must stay unchanged.
  Folder outside;
  fs::copy(folder, outside / "entry");
  auto untouched = [&] {
    EXPECT_EQ(readWhole(outside / "entry/model.so"), readWhole(path));
    EXPECT_TRUE(fs::exists(outside / "entry/entry"));
  };
  for (const char *name : {"model.so", "entry"}) {
    fs::remove(folder + "/" + name);
    fs::create_symlink(outside / (std::string("entry/") + name),
                       folder + "/" + name);
    expectMadeAgain(path, std::string("a link for ") + name);
    untouched();
    fs::remove(folder + "/" + name);
    ASSERT_EQ(mkfifo((folder + "/" + name).c_str(), 0600), 0);
    expectMadeAgain(path, std::string("a pipe for ") + name);
  }
  fs::remove_all(folder);
  fs::create_symlink(outside / "entry", folder);
  expectMadeAgain(path, "a link for the entry");
  untouched();
  fs::remove_all(folder);
  fs::create_symlink(models / "nowhere", folder);
  expectMadeAgain(path, "a link to nothing");
}

TEST_F(CacheTrust, WhatOthersMayHaveChanged) {
  std::string path = cached("new.onnx");
  std::string folder = fs::path(path).parent_path();
  for (int mode : {0666, 0664}) {
    chmod(path.c_str(), mode_t(mode));
    expectMadeAgain(path, "a file for all");
  }
  for (int mode : {0777, 0770}) {
    chmod(folder.c_str(), mode_t(mode));
    expectMadeAgain(path, "a folder for all");
  }
  if (geteuid() != 0)
    GTEST_SKIP() << "giving files away needs a privilege";
  for (const std::string &name : {path, folder, folder + "/entry"}) {
    ASSERT_EQ(chown(name.c_str(), 65534, 65534), 0);
    expectMadeAgain(path, "another user's " + name);
  }
}

TEST_F(CacheTrust, FoldersThatCannotBeUsed) {
  auto expectWarning = [&](const Command &command, const std::string &words) {
    fs::remove(result());
    Ended ended = runTenon(command);
    EXPECT_EQ(ended.code, 0) << words << ended.err;
    EXPECT_EQ(warnings(ended), words.empty() ? 0 : 1) << words << ended.err;
    EXPECT_NE(ended.err.find(words), std::string::npos) << ended.err;
    EXPECT_EQ(row(), expectedRow(2)) << words;
  };
  Command command = running("new.onnx");
  output.write("file", "");
  command.environment["TENON_CACHE_DIR"] = output / "file";
  expectWarning(command, strerror(ENOTDIR));
  command.environment["TENON_CACHE_DIR"] = output / "file/deeper";
  expectWarning(command, strerror(ENOTDIR));
  command.environment["TENON_CACHE_DIR"] = "/proc/cache";
  expectWarning(command, strerror(ENOENT));
  fs::create_directory(root());
  chmod(root().c_str(), 0777);
  expectWarning(running("new.onnx"), "other users may change it");
  chmod(root().c_str(), 0700);
  // An empty value disables the cache.
  command.environment["TENON_CACHE_DIR"] = "";
  expectWarning(command, "");
  command = running("new.onnx");
  command.environment["TENON_CACHE_LIMIT"] = "0";
  expectWarning(command, "");
  command = running("new.onnx");
  command.environment.erase("TENON_CACHE_DIR");
  command.unset = {"TENON_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  expectWarning(command, "");
  EXPECT_TRUE(entries().empty());
  command.unset = {"TENON_CACHE_DIR", "XDG_CACHE_HOME"};
  command.environment["HOME"] = output.path;
  expectWarning(command, "");
  EXPECT_TRUE(fs::exists(output / ".cache/tenon"));

  command = running("new.onnx");
  command.environment["TENON_CACHE_LIMIT"] = "much";
  EXPECT_EQ(runTenon(command).code, 2);
  command = caching("new.onnx");
  command.environment["TENON_CACHE_DIR"] = output / "file";
  EXPECT_EQ(runTenon(command).code, 6);
}

TEST_F(CacheTrust, ReadOnlyAndForeignFolders) {
  if (geteuid() != 0)
    GTEST_SKIP() << "becoming someone else needs a privilege";
  std::string path = cached("new.onnx");
  auto asNobody = [&](Command command) {
    command.prepare = [] {
      if (setuid(65534) != 0)
        _exit(99);
    };
    return runTenon(command);
  };
  for (const std::string &folder : {models.path, output.path, root()})
    chmod(folder.c_str(), 0777 & ~(folder == root() ? 022 : 0));
  // Another user's cache must not be read.
  Ended ended = asNobody(running("new.onnx"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(warnings(ended), 1) << ended.err;
  EXPECT_NE(ended.err.find("another user"), std::string::npos) << ended.err;
  EXPECT_EQ(row(), expectedRow(2));
  // One's own cache is read even if it is not writable.
  for (const auto &each : fs::recursive_directory_iterator(root()))
    ASSERT_EQ(chown(each.path().c_str(), 65534, 65534), 0);
  ASSERT_EQ(chown(root().c_str(), 65534, 65534), 0);
  chmod(root().c_str(), 0555);
  fs::remove(result());
  ended = asNobody(running("new.onnx"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(warnings(ended), 0) << ended.err;
  EXPECT_FALSE(compiled(ended));
  EXPECT_EQ(row(), expectedRow(2));
  fs::remove(result());
  ended = asNobody(running("old.onnx"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(warnings(ended), 1) << ended.err;
  EXPECT_EQ(row(), expectedRow(1));
}

} // namespace
} // namespace tenon::test
