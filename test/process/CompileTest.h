// Common parts of the tests of the compiler's process: two models, an output
// folder, ways to compile, and a check of the folder's contents.
#ifndef TENON_TEST_PROCESS_COMPILETEST_H
#define TENON_TEST_PROCESS_COMPILETEST_H

#include "test/process/Models.h"
#include "test/process/TenonProcess.h"

#include <gtest/gtest.h>

namespace tenon::test {

/// One way to compile: the flags, and the names of the written files.
struct Recipe {
  std::vector<std::string> flags;
  std::vector<std::string> names; ///< of the written files, the artifact first
};

inline const Recipe shared = {{"-shared"}, {"m.so"}};
inline const Recipe object = {{"-c"}, {"m.o", "m.h"}};
inline const Recipe objectAndRule = {{"-c", "-MD"}, {"m.o", "m.h", "m.d"}};
inline const Recipe program = {{"--emit=exe"}, {"m"}};
inline const Recipe beside = {{"-shared", "--weights=external"},
                              {"m.so", "m.safetensors"}};
inline const Recipe objectBeside = {{"-c", "--weights=external"},
                                    {"m.o", "m.h", "m.safetensors"}};
inline const Recipe assembly = {{"-S"}, {"m.s"}};

using Files = std::map<std::string, std::string>;

class CompileTest : public testing::Test {
protected:
  CompileTest() : faults(output.path) {
    writeModel(models / "old.onnx", 1);
    writeModel(models / "new.onnx", 2);
  }

  Command compiling(const Recipe &recipe, const std::string &model) const {
    Command command;
    command.arguments = {
        "compile",         "-q", models / model, "-o", output / recipe.names[0],
        "-mcpu=x86-64-v3", "-O0"};
    command.arguments.insert(command.arguments.end(), recipe.flags.begin(),
                             recipe.flags.end());
    return command;
  }

  Files written() const {
    Files files;
    for (const auto &entry : std::filesystem::directory_iterator(output.path))
      files[entry.path().filename()] = readWhole(entry.path());
    return files;
  }

  /// The names of files in which the folder differs from `wanted`; empty if it
  /// does not differ.
  std::string differs(const Files &wanted) const {
    std::string names;
    Files found = written();
    for (const auto &[name, content] : wanted)
      if (!found.count(name))
        names += " no " + name;
      else if (found[name] != content)
        names += " another " + name;
    for (const auto &[name, content] : found)
      if (!wanted.count(name))
        names += " also " + name;
    return names;
  }

  /// The files that `recipe` makes of `model` without errors.
  Files made(const Recipe &recipe, const std::string &model) {
    clear();
    Ended ended = runTenon(compiling(recipe, model));
    EXPECT_EQ(ended.code, 0) << ended.err;
    Files files = written();
    EXPECT_EQ(files.size(), recipe.names.size());
    return files;
  }

  void clear() const {
    for (const auto &entry : std::filesystem::directory_iterator(output.path))
      std::filesystem::remove_all(entry.path());
  }
  /// Writes the files of an earlier compilation; leftovers of killed ones stay.
  void restore(const Files &files) const {
    for (const auto &[name, content] : files)
      output.write(name, content);
  }

  Ended compileWithFaults(const Recipe &recipe) {
    Command command = compiling(recipe, "new.onnx");
    faults.applyTo(command);
    Ended ended = runTenon(command);
    EXPECT_TRUE(leftNothingRunning());
    return ended;
  }

  Folder models, output;
  Faults faults;
};

} // namespace tenon::test

#endif // TENON_TEST_PROCESS_COMPILETEST_H
