// The cache of `tenon run`: found when everything is equal and not otherwise,
// by any number of processes at once, whole after any kill, and never trusted.
#include "test/process/CompileTest.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sched.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

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
    return with({"run", models / model, "-mcpu=x86-64-v3", "--input=ones",
                 "--output=@" + result()});
  }
  Command caching(const std::string &model) const {
    return with({"compile", "--cache", models / model, "-mcpu=x86-64-v3"});
  }
  std::string result() const { return models / "y.npy"; }

  /// The row that a run has written.
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

  /// The names in the cache that are entries, and those that are not.
  std::vector<std::string> entries() const { return names(true); }
  std::vector<std::string> leftovers() const { return names(false); }
  std::vector<std::string> names(bool entry) const {
    std::vector<std::string> found;
    for (const auto &each : fs::directory_iterator(root()))
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

  /// Expects that `path`, damaged as `what`, is warned of once and made again.
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

TEST_F(Cache, FoundWhenAllIsEqual) {
  Ended ended = runTenon(running("new.onnx"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_TRUE(compiled(ended)) << ended.err;
  EXPECT_EQ(row(), expectedRow(2));
  struct stat folder;
  ASSERT_EQ(stat(root().c_str(), &folder), 0);
  EXPECT_EQ(int(folder.st_mode & 0777), 0700);

  auto expectFound = [&](const Command &command, bool found, const char *why) {
    Ended ended = runTenon(command);
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(compiled(ended), !found) << why;
    EXPECT_EQ(warnings(ended), 0) << ended.err;
  };
  fs::remove(result());
  expectFound(running("new.onnx"), true, "again");
  EXPECT_EQ(row(), expectedRow(2));
  fs::last_write_time(models / "new.onnx", fs::file_time_type::clock::now());
  expectFound(running("new.onnx"), true, "touched");
  fs::create_directory(models / "copy");
  fs::copy(models / "new.onnx", models / "copy/new.onnx");
  expectFound(running("copy/new.onnx"), true, "elsewhere");
  Command threads = running("new.onnx");
  threads.arguments.push_back("--threads=1");
  expectFound(threads, true, "a flag of the run");
  EXPECT_EQ(entries().size(), 1u);

  Command level = running("new.onnx");
  level.arguments.push_back("-O1");
  expectFound(level, false, "another level");
  Command precision = running("new.onnx");
  precision.arguments.push_back("--matmul-precision=bf16");
  expectFound(precision, false, "another precision");
  Command cpu = running("new.onnx");
  cpu.arguments[2] = "-mcpu=x86-64-v2";
  expectFound(cpu, false, "another processor");
  fs::copy_file(models / "old.onnx", models / "new.onnx",
                fs::copy_options::overwrite_existing);
  expectFound(running("new.onnx"), false, "other weights");
  EXPECT_EQ(row(), expectedRow(1));
  EXPECT_EQ(entries().size(), 5u);
  EXPECT_TRUE(leftovers().empty());
}

TEST_F(Cache, DataBesideTheModelCount) {
  ::onnx::ModelProto model = makeWeightedModel(2);
  auto *weight = model.mutable_graph()->mutable_initializer(0);
  std::string data = weight->raw_data();
  models.write("w.bin", data);
  weight->clear_raw_data();
  weight->set_data_location(::onnx::TensorProto::EXTERNAL);
  auto *entry = weight->add_external_data();
  entry->set_key("location");
  entry->set_value("w.bin");
  models.write("apart.onnx", model.SerializeAsString());
  EXPECT_TRUE(compiled(runTenon(running("apart.onnx"))));
  EXPECT_FALSE(compiled(runTenon(running("apart.onnx"))));
  EXPECT_EQ(row(), expectedRow(2));
  data.back() ^= '\x80'; // the sign of the last weight
  models.write("w.bin", data);
  EXPECT_TRUE(compiled(runTenon(running("apart.onnx"))));
  EXPECT_NE(row(), expectedRow(2));
  data.back() ^= '\x80'; // the sign of the last weight
  models.write("w.bin", data);
  EXPECT_FALSE(compiled(runTenon(running("apart.onnx"))));
  EXPECT_EQ(row(), expectedRow(2));
}

TEST_F(Cache, AModelThatCannotBeCompiledIsNotThere) {
  models.write("bad.onnx", "no model");
  Ended ended = runTenon(running("bad.onnx"));
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_EQ(warnings(ended), 0) << ended.err;
  ended = runTenon(caching("missing.onnx"));
  EXPECT_EQ(ended.code, 6) << ended.err;
}

TEST_F(Cache, ManyProcessesOnOneColdEntry) {
  std::vector<std::unique_ptr<TenonProcess>> processes;
  for (int i = 0; i < 16; ++i) {
    Command command = running("new.onnx");
    command.arguments.back() =
        "--output=@" + (models / ("y" + std::to_string(i) + ".npy"));
    processes.push_back(std::make_unique<TenonProcess>(command));
  }
  int compilations = 0;
  for (auto &process : processes) {
    Ended ended = process->wait();
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_EQ(warnings(ended), 0) << ended.err;
    compilations += compiled(ended);
  }
  // The others wait for the first.
  EXPECT_EQ(compilations, 1);
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(readWhole(models / ("y" + std::to_string(i) + ".npy")),
              readWhole(models / "y0.npy"));
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_TRUE(leftovers().empty());
  EXPECT_EQ(runArtifact(cached("new.onnx")), expectedRow(2));
}

TEST_F(Cache, AKilledMakerLeavesNoEntryOrAWholeOne) {
  for (long n = 1; n < 1000; ++n) {
    clear();
    faults.plan(WRITE_FAULT_KILL, 0, n);
    Command command = running("new.onnx");
    faults.applyTo(command);
    runTenon(command);
    EXPECT_TRUE(leftNothingRunning());
    std::string at = std::to_string(n) + ", " + faults->call;
    bool fired = faults->fired;
    Ended ended = runTenon(running("new.onnx"));
    EXPECT_EQ(ended.code, 0) << at << ended.err;
    EXPECT_EQ(warnings(ended), 0) << at << ended.err;
    EXPECT_EQ(row(), expectedRow(2)) << at;
    EXPECT_EQ(entries().size(), 1u) << at;
    // Whoever makes an entry cleans up.
    if (compiled(ended))
      EXPECT_TRUE(leftovers().empty()) << at << leftovers()[0];
    if (!fired) {
      EXPECT_GT(n, 20);
      return;
    }
  }
  FAIL() << "no run got through";
}

TEST_F(Cache, EveryCallFails) {
  for (bool lasting : {false, true})
    for (long n = 1; n < 1000; ++n) {
      clear();
      faults.plan(WRITE_FAULT_ERROR, ENOSPC, n, lasting);
      Command command = running("new.onnx");
      faults.applyTo(command);
      Ended ended = runTenon(command);
      std::string at = std::to_string(n) + ", " + faults->call;
      if (!faults->fired) {
        EXPECT_GT(n, 20);
        break;
      }
      // Where the runtime cannot read what was made, nobody can.
      if (ended.code == 6 &&
          ended.err.find("error: cannot ") != std::string::npos &&
          ended.err.find("cannot write") == std::string::npos)
        continue;
      EXPECT_EQ(ended.code, 0) << at << ended.err;
      EXPECT_LE(warnings(ended), 1) << at << ended.err;
      EXPECT_EQ(row(), expectedRow(2)) << at;
    }
}

TEST_F(Cache, ASmallFileSystem) {
  fs::create_directory(root());
  int cached = 0, refused = 0;
  for (int kilobytes : {4, 16, 64, 100, 160, 240, 1000}) {
    fs::remove(result());
    Command command = running("new.onnx");
    command.prepare = [&, this] {
      std::string size = "mode=0700,size=" + std::to_string(kilobytes) + "k";
      if (unshare(CLONE_NEWNS) != 0 ||
          mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
          mount("none", root().c_str(), "tmpfs", 0, size.c_str()) != 0)
        _exit(99);
    };
    Ended ended = runTenon(command);
    if (ended.code == 99)
      GTEST_SKIP() << "mounting needs a privilege";
    EXPECT_EQ(ended.code, 0) << kilobytes << ended.err;
    EXPECT_EQ(row(), expectedRow(2)) << kilobytes;
    EXPECT_EQ(warnings(ended), !compiled(ended)) << kilobytes << ended.err;
    if (warnings(ended))
      EXPECT_NE(ended.err.find(strerror(ENOSPC)), std::string::npos)
          << ended.err;
    ++(compiled(ended) ? cached : refused);
  }
  EXPECT_GT(cached, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(Cache, DamagedBytes) {
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
  // Among these are bytes of the weights, which are most of the file.
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

TEST_F(Cache, DamagedCompanions) {
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

TEST_F(Cache, PlantedLinksAndOtherFiles) {
  std::string path = cached("new.onnx");
  std::string folder = fs::path(path).parent_path();
  // What a link would have led to is as it was.
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

TEST_F(Cache, WhatOthersMayHaveChanged) {
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

TEST_F(Cache, FoldersThatCannotBeUsed) {
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
  // None, on purpose.
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

TEST_F(Cache, ReadOnlyAndForeignFolders) {
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
  // Another user's cache is not even read.
  Ended ended = asNobody(running("new.onnx"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(warnings(ended), 1) << ended.err;
  EXPECT_NE(ended.err.find("another user"), std::string::npos) << ended.err;
  EXPECT_EQ(row(), expectedRow(2));
  // One's own is, also where nothing can be written to it.
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

TEST_F(Cache, TheLongestUnusedGo) {
  std::vector<std::string> paths;
  for (int i = 0; i < 4; ++i) {
    paths.push_back(cached("new.onnx", {"-O" + std::to_string(i)}));
    std::string list = fs::path(paths.back()).parent_path() / "entry";
    timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, list.c_str(), times, 0), 0);
  }
  output.write("cache/mine", "stays");
  fs::create_directory(output / "cache/tenon-of-mine");
  // A use brings the oldest to the front.
  EXPECT_EQ(cached("new.onnx", {"-O0"}), paths[0]);
  Ended ended = runTenon(with({"cache", "--limit=200K"}));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "2 removed, 2 left\n");
  EXPECT_TRUE(fs::exists(paths[0]));
  EXPECT_TRUE(fs::exists(paths[3]));
  // The limit of the environment holds after each compilation.
  Command command = caching("old.onnx");
  command.environment["TENON_CACHE_LIMIT"] = "100K";
  ended = runTenon(command);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(entries().size(), 1u);
  EXPECT_TRUE(fs::exists(ended.out.substr(0, ended.out.size() - 1)));

  ended = runTenon(with({"cache"}));
  EXPECT_NE(ended.out.find("old.onnx"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("1, "), std::string::npos) << ended.out;
  EXPECT_EQ(runTenon(with({"cache", "--dir"})).out, root() + "\n");
  ended = runTenon(with({"cache", "--clear"}));
  EXPECT_EQ(ended.out, "1 removed, 0 left\n");
  EXPECT_TRUE(entries().empty());
  EXPECT_EQ(readWhole(output / "cache/mine"), "stays");
  EXPECT_TRUE(fs::exists(output / "cache/tenon-of-mine"));
}

TEST_F(Cache, EntriesInUseStay) {
  std::string path = cached("new.onnx");
  int folder = open(fs::path(path).parent_path().c_str(),
                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  ASSERT_EQ(flock(folder, LOCK_SH), 0);
  EXPECT_EQ(runTenon(with({"cache", "--clear"})).out, "0 removed, 1 left\n");
  close(folder);
  EXPECT_EQ(runTenon(with({"cache", "--clear"})).out, "1 removed, 0 left\n");
}

} // namespace
} // namespace tenon::test
