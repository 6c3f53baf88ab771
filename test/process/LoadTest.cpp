// Artifacts of the compiler in one process: many, with the same names inside,
// again and again, and around a fork.
#include "test/process/CompileTest.h"

#include "runtime/tenon.h"

#include <memory>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::test {
namespace {

/// An open artifact of the weighted model with a context.
class Opened {
public:
  explicit Opened(const std::string &path, int32_t threads = 1) {
    char text[1024] = "";
    tenon_open_options options = {};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    options.threads = threads;
    EXPECT_EQ(tenon_open(path.c_str(), &options, &model), TENON_OK) << text;
    if (model)
      EXPECT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
  }
  Opened(const Opened &) = delete;
  ~Opened() {
    tenon_context_destroy(context);
    EXPECT_EQ(tenon_close(model), TENON_OK);
  }

  /// y where x is all ones.
  std::vector<float> run() const {
    std::vector<float> x(modelElements, 1), y(modelElements);
    int64_t dims[] = {modelElements}, yDims[] = {0};
    tenon_tensor input = {};
    input.struct_size = sizeof input;
    input.dtype = TENON_F32;
    input.rank = 1;
    input.dims = dims;
    input.data = x.data();
    input.bytes = x.size() * sizeof(float);
    tenon_tensor output = input;
    output.dims = yDims;
    output.data = y.data();
    if (tenon_run(context, nullptr, &input, 1, &output, 1) != TENON_OK)
      return {};
    return y;
  }

  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
};

class Load : public CompileTest {
protected:
  /// Two models that differ in their weights alone, with the same names.
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
    // What the parent had open, and what the child opens itself.
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
