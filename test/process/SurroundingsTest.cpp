// Tests the compiler in different environments: variables, folders, names, and
// files that change while it runs. Equal models must give equal files
// everywhere.
#include "test/process/CompileTest.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sched.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::test {
namespace {

class Surroundings : public CompileTest {
protected:
  /// Writes a model of a dozen ops and two weights.
  void writeVariedModel(const std::string &path) {
    ::onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(13);
    auto *graph = model.mutable_graph();
    graph->set_name("g");
    addTensor(graph->mutable_input(), "x", {8, 150});
    auto *weight = graph->add_initializer();
    *weight = makeFloats("w", 150 * 150);
    weight->clear_dims();
    weight->add_dims(150);
    weight->add_dims(150);
    *graph->add_initializer() = makeFloats("b", 150);
    std::string last = "x";
    for (int layer = 0; layer < 3; ++layer) {
      std::string n = std::to_string(layer);
      addNode(graph, "MatMul", {last, "w"}, {"m" + n});
      addNode(graph, "Add", {"m" + n, "b"}, {"a" + n});
      addNode(graph, "Tanh", {"a" + n}, {"t" + n});
      addNode(graph, "Softmax", {"t" + n}, {last = "s" + n});
    }
    addTensor(graph->mutable_output(), last, {8, 150});
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  }

  /// Changes the user in a child, because root may do everything.
  static void becomeNobody() {
    if (geteuid() == 0 && setuid(65534) != 0)
      _exit(99);
  }

  /// Compiles with external data beside the model. Stops the compiler when the
  /// model is read and before the first output is created, and then calls
  /// `change`.
  Ended compileWhile(const std::function<void()> &change) {
    Command command = compiling(beside, "apart.onnx");
    faults.plan(WRITE_FAULT_SIGNAL, SIGSTOP, 1);
    faults.applyTo(command);
    TenonProcess process(command);
    int state = 0;
    EXPECT_EQ(waitpid(process.id(), &state, WUNTRACED), process.id());
    EXPECT_TRUE(WIFSTOPPED(state));
    change();
    kill(process.id(), SIGCONT);
    return process.wait();
  }
};

TEST_F(Surroundings, TheSameBytesEverywhere) {
  writeVariedModel(models / "varied.onnx");
  auto noRandomAddresses = [] { personality(ADDR_NO_RANDOMIZE); };
  auto oneCpu = [] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  };
  auto littleStack = [] {
    rlimit limit = {65536, 65536};
    setrlimit(RLIMIT_STACK, &limit);
  };
  std::filesystem::create_directory(models / "elsewhere");
  using Change = std::function<void(Command &)>;
  auto with = [](std::map<std::string, std::string> environment) -> Change {
    return [=](Command &command) { command.environment = environment; };
  };
  auto in = [](const std::string &folder) -> Change {
    return [=](Command &command) { command.folder = folder; };
  };
  auto after = [](std::function<void()> prepare) -> Change {
    return [=](Command &command) { command.prepare = prepare; };
  };
  const std::vector<Change> places = {
      with({{"LC_ALL", "de_DE.UTF-8"}, {"LANG", "de_DE.UTF-8"}}),
      with({{"LC_ALL", "tr_TR.UTF-8"}, {"LANG", "tr_TR.UTF-8"}}),
      with({{"TZ", "Asia/Tokyo"}}),
      with({{"TZ", "America/St_Johns"}, {"SOURCE_DATE_EPOCH", "1"}}),
      with({{"TMPDIR", "/proc"}}),
      with({{"TMPDIR", models / "no-such-folder"}}),
      with({{"MALLOC_PERTURB_", "165"}}),
      with({{"OMP_NUM_THREADS", "64"}}),
      [](Command &command) {
        command.unset = {"HOME", "TMPDIR", "LANG", "USER", "TERM", "PATH"};
      },
      in("/"),
      in(models / "elsewhere"),
      after(oneCpu),
      after(littleStack),
      after(noRandomAddresses),
      after([] { umask(077); }),
      after([] { umask(0); }),
  };
  // Two kinds of artifact are tested in each place.
  const Recipe kinds[] = {beside, object, assembly, program};
  for (size_t kind = 0; kind < 4; ++kind) {
    const Files expected = made(kinds[kind], "varied.onnx");
    for (size_t place = 0; place < places.size(); ++place) {
      if (place % 2 != kind % 2)
        continue;
      clear();
      Command command = compiling(kinds[kind], "varied.onnx");
      places[place](command);
      Ended ended = runTenon(command);
      EXPECT_EQ(ended.code, 0) << place << ended.err;
      EXPECT_EQ(differs(expected), "") << place;
    }
  }
}

TEST_F(Surroundings, ModesFollowTheUmaskAndStaySane) {
  for (auto [mask, plain, program] :
       {std::tuple{077, 0600, 0700}, {0, 0644, 0755}, {027, 0640, 0750}}) {
    clear();
    Command command = compiling(beside, "new.onnx");
    command.prepare = [mask = mask] { umask(mode_t(mask)); };
    EXPECT_EQ(runTenon(command).code, 0);
    struct stat info;
    ASSERT_EQ(stat((output / "m.so").c_str(), &info), 0);
    EXPECT_EQ(int(info.st_mode & 07777), program);
    ASSERT_EQ(stat((output / "m.safetensors").c_str(), &info), 0);
    EXPECT_EQ(int(info.st_mode & 07777), plain);
  }
}

TEST_F(Surroundings, ManyCompilersOfOneOutput) {
  const std::vector<float> rows[] = {expectedRow(1), expectedRow(2)};
  for (const Recipe &recipe : {shared, object, beside}) {
    const Files old = made(recipe, "old.onnx");
    const Files fresh = made(recipe, "new.onnx");
    for (int round = 0; round < 4; ++round) {
      clear();
      std::vector<std::unique_ptr<TenonProcess>> compilers;
      for (int i = 0; i < 8; ++i)
        compilers.push_back(std::make_unique<TenonProcess>(
            compiling(recipe, i % 2 ? "old.onnx" : "new.onnx")));
      for (auto &compiler : compilers) {
        Ended ended = compiler->wait();
        EXPECT_EQ(ended.code, 0) << ended.err;
      }
      EXPECT_TRUE(differs(old).empty() || differs(fresh).empty())
          << differs(old) << ";" << differs(fresh);
      if (recipe.names[0] != "m.so")
        continue;
      std::vector<float> row = runArtifact(output / "m.so");
      EXPECT_TRUE(row == rows[0] || row == rows[1]);
    }
  }
}

TEST_F(Surroundings, NamesAreOnlyNames) {
  const std::vector<float> row = expectedRow(2);
  for (const std::string &name : std::vector<std::string>{
           "two words", "it's \"quoted\"", "line\nbreak", ";rm -rf .",
           "$(touch made)`touch made`", "-o", "--", "@name", "a=b", "%s%n",
           "\xff\xfe", "\xc3\xa9\xe2\x82\xac", "~", "*?[a]", "&|<>",
           std::string(230, 'x')}) {
    std::filesystem::remove_all(output.path);
    std::filesystem::create_directory(output.path);
    output.write(name + ".onnx", makeWeightedModel(2).SerializeAsString());
    for (const Recipe &recipe : {beside, object, program}) {
      std::string extension =
          std::filesystem::path(recipe.names[0]).extension();
      Command command;
      command.folder = output.path;
      command.arguments = {"compile", "-q", "-mcpu=x86-64-v3", "-o",
                           "./" + name + extension};
      command.arguments.insert(command.arguments.end(), recipe.flags.begin(),
                               recipe.flags.end());
      // An argument that starts with @ names a file of arguments.
      command.arguments.push_back("--");
      command.arguments.push_back((name[0] == '@' ? "./" : "") + name +
                                  ".onnx");
      Ended ended = runTenon(command);
      EXPECT_EQ(ended.code, 0) << name << ": " << ended.err;
    }
    EXPECT_EQ(runArtifact(output / (name + ".so")), row) << name;
    Files found = written();
    for (const char *extension :
         {".onnx", ".so", ".safetensors", ".o", ".h", ""})
      EXPECT_EQ(found.erase(name + extension), 1u) << name << extension;
    EXPECT_EQ(found.size(), 0u) << name << ": " << found.begin()->first;
  }
}

TEST_F(Surroundings, NamesThatAreTooLong) {
  for (const std::string &name :
       {std::string(256, 'x') + ".so", std::string(4000, 'x') + ".so"}) {
    Command command = compiling(shared, "new.onnx");
    command.arguments[4] = output / name;
    Ended ended = runTenon(command);
    EXPECT_EQ(ended.code, 6) << ended.err;
    EXPECT_NE(ended.err.find(strerror(ENAMETOOLONG)), std::string::npos)
        << ended.err;
    command = compiling(shared, "new.onnx");
    command.arguments[2] = models / name;
    ended = runTenon(command);
    EXPECT_EQ(ended.code, 6) << ended.err;
  }
  EXPECT_EQ(differs({}), "");
  // A long path made of short names must work.
  std::string deep = output.path;
  while (deep.size() < 3900)
    deep += "/" + std::string(100, 'd');
  std::filesystem::create_directories(deep);
  Command command = compiling(beside, "new.onnx");
  command.arguments[4] = deep + "/m.so";
  Ended ended = runTenon(command);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(runArtifact(deep + "/m.so"), expectedRow(2));
}

TEST_F(Surroundings, AFolderThatTakesNoFiles) {
  output.write("m.so", "old");
  chmod(models.path.c_str(), 0755);
  chmod(output.path.c_str(), 0555);
  Command command = compiling(shared, "new.onnx");
  command.prepare = becomeNobody;
  Ended ended = runTenon(command);
  EXPECT_EQ(ended.code, 6);
  EXPECT_NE(ended.err.find("cannot write into the directory"),
            std::string::npos)
      << ended.err;
  EXPECT_EQ(differs({{"m.so", "old"}}), "");
}

TEST_F(Surroundings, DataThatShrinksWhileItIsCompiled) {
  writeModelApart(models);
  output.write("m.so", "old");
  for (int64_t size : {0, 1, 79999}) {
    writeModelApart(models);
    Ended ended = compileWhile(
        [&] { std::filesystem::resize_file(models / "w.bin", size); });
    EXPECT_EQ(ended.code, 6) << size << ended.err;
    EXPECT_NE(ended.err.find("w.bin"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("changed"), std::string::npos) << ended.err;
    EXPECT_EQ(differs({{"m.so", "old"}}), "");
  }
}

TEST_F(Surroundings, AModelThatShrinksWhileItIsRead) {
  // A large number of unknown fields, so that reading takes long.
  std::string many;
  while (many.size() < size_t(48) << 20)
    many += many.empty() ? std::string("\xa0\x06\x01") : many;
  std::filesystem::create_directory(models / "saved");
  for (const char *name : {"bad.onnx", "saved/saved_model.pb"}) {
    std::string path = models / name;
    output.write("m.so", "old");
    std::ofstream(path, std::ios::binary) << many;
    Command command = compiling(shared, "bad.onnx");
    if (path.ends_with(".pb"))
      command.arguments[2] = models / "saved";
    TenonProcess process(command);
    // Wait until the reader has mapped it.
    std::string maps = "/proc/" + std::to_string(process.id()) + "/maps";
    siginfo_t gone = {};
    while (readWhole(maps).find(path) == std::string::npos &&
           waitid(P_PID, id_t(process.id()), &gone,
                  WEXITED | WNOHANG | WNOWAIT) == 0 &&
           gone.si_pid == 0) {
    }
    std::filesystem::resize_file(path, 1);
    Ended ended = process.wait();
    EXPECT_EQ(ended.code, 6) << ended.err;
    EXPECT_NE(ended.err.find("shorter while it was read"), std::string::npos)
        << ended.err;
    EXPECT_EQ(differs({{"m.so", "old"}}), "");
  }
}

TEST_F(Surroundings, DataThatChangesWhileItIsCompiled) {
  writeModelApart(models);
  Ended ended = compileWhile([&] {
    std::string bytes = readWhole(models / "w.bin");
    bytes[40000] ^= 1;
    int fd = open((models / "w.bin").c_str(), O_WRONLY);
    EXPECT_EQ(pwrite(fd, bytes.data(), bytes.size(), 0), ssize_t(bytes.size()));
    close(fd);
  });
  EXPECT_EQ(ended.code, 6) << ended.err;
  EXPECT_NE(ended.err.find("w.bin"), std::string::npos) << ended.err;
  EXPECT_EQ(differs({}), "");
}

TEST_F(Surroundings, WhatWasCheckedIsWhatIsRead) {
  // The name of the data now means a file outside the folder.
  writeModelApart(models);
  Folder outside;
  outside.write("secret", std::string(size_t(modelElements) * 4, 's'));
  Ended ended = compileWhile([&] {
    std::filesystem::remove(models / "w.bin");
    std::filesystem::create_symlink(outside / "secret", models / "w.bin");
  });
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(runArtifact(output / "m.so"), expectedRow(2));
}

TEST_F(Surroundings, WeightsKeepTheirBits) {
  // The bits include quiet and signalling NaNs with payloads, and denormals.
  ::onnx::ModelProto model = makeWeightedModel(1);
  std::vector<uint32_t> bits(modelElements);
  for (int i = 0; i < modelElements; ++i)
    bits[size_t(i)] = uint32_t(i) * 2654435761u;
  auto *graph = model.mutable_graph();
  graph->mutable_initializer(0)->set_raw_data(bits.data(), bits.size() * 4);
  graph->clear_node();
  addNode(graph, "Identity", {"w"}, {"y"});
  models.write("bits.onnx", model.SerializeAsString());
  for (const Recipe &recipe : {shared, beside}) {
    ASSERT_EQ(made(recipe, "bits.onnx").size(), recipe.names.size());
    std::vector<float> row = runArtifact(output / "m.so");
    ASSERT_EQ(row.size(), bits.size());
    EXPECT_EQ(std::memcmp(row.data(), bits.data(), bits.size() * 4), 0);
  }
}

TEST_F(Surroundings, DataThatIsMissingOrMayNotBeRead) {
  writeModelApart(models);
  std::filesystem::remove(models / "w.bin");
  Ended ended = runTenon(compiling(shared, "apart.onnx"));
  EXPECT_EQ(ended.code, 6);
  EXPECT_NE(ended.err.find("w.bin"), std::string::npos) << ended.err;
  writeModelApart(models);
  chmod(models.path.c_str(), 0755);
  chmod(output.path.c_str(), 0777);
  chmod((models / "w.bin").c_str(), 0);
  Command command = compiling(shared, "apart.onnx");
  command.prepare = becomeNobody;
  ended = runTenon(command);
  EXPECT_EQ(ended.code, 6);
  EXPECT_NE(ended.err.find(strerror(EACCES)), std::string::npos) << ended.err;
  EXPECT_EQ(differs({}), "");
}

} // namespace
} // namespace tenon::test
