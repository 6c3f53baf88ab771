// Loads artifacts into one process: many with equal symbol names, repeatedly,
// and across a fork.
#include "test/process/CompileTest.h"

#include "runtime/tenon.h"

#include <memory>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::test {
namespace {

class Load : public CompileTest {
protected:
  /// Compiles two models that differ only in their weights, with equal names.
  void SetUp() override {
    for (const char *model : {"old", "new"}) {
      Command command = compiling(shared, std::string(model) + ".onnx");
      command.arguments[4] = output / (std::string(model) + ".so");
      command.arguments.push_back("--name=same");
      ASSERT_EQ(runTenon(command).code, 0);
    }
  }

  const std::vector<float> oldRow = expectedRow(1), newRow = expectedRow(2);
};

TEST_F(Load, EqualNamesInsideAreApart) {
  Opened older(output / "old.so"), newer(output / "new.so");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(older.run(), oldRow);
    EXPECT_EQ(newer.run(), newRow);
  }
}

TEST_F(Load, TwoHundredAtOnce) {
  std::vector<std::unique_ptr<Opened>> models;
  for (int i = 0; i < 200; ++i) {
    std::string copy = output / ("m" + std::to_string(i) + ".so");
    std::filesystem::copy_file(output / (i % 2 ? "old.so" : "new.so"), copy);
    models.push_back(std::make_unique<Opened>(copy));
  }
  for (size_t i = 0; i < models.size(); ++i)
    EXPECT_EQ(models[i]->run(), i % 2 ? oldRow : newRow) << i;
}

TEST_F(Load, AThousandTimes) {
  auto resident = [] {
    long pages = 0, kept = 0;
    std::ifstream("/proc/self/statm") >> pages >> kept;
    return kept * (getpagesize() >> 10);
  };
  auto maps = [] {
    std::ifstream file("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  };
  auto load = [&](int i) {
    Opened opened(output / (i % 2 ? "old.so" : "new.so"), 2);
    ASSERT_EQ(opened.run(), i % 2 ? oldRow : newRow) << i;
  };
  for (int i = 0; i < 50; ++i)
    load(i);
  auto mapsBefore = maps();
  long before = resident();
  for (int i = 0; i < 1000; ++i)
    load(i);
  EXPECT_LE(maps(), mapsBefore + 2);
  EXPECT_LT(resident(), before + 4096) << "kilobytes";
}

TEST_F(Load, InAForkedChild) {
  Opened older(output / "old.so", 2);
  EXPECT_EQ(older.run(), oldRow);
  pid_t child = fork();
  if (child == 0) {
    // Artifacts that the parent had open, and one that the child opens.
    bool right = older.run() == oldRow;
    for (int i = 0; i < 3; ++i)
      right &= Opened(output / "new.so", 2).run() == newRow;
    _exit(right && !testing::Test::HasFailure() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(older.run(), oldRow);
}

TEST_F(Load, RefusedWhileItHasContexts) {
  Opened opened(output / "new.so");
  EXPECT_EQ(tenon_close(opened.model), TENON_BAD_INPUT);
  EXPECT_EQ(opened.run(), newRow);
}

} // namespace
} // namespace tenon::test
