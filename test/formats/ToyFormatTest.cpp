// A format that only this file knows: `toy N` is a model that doubles N
// numbers. The facade compiles and describes it as it does every other format.
#include "compiler/Compiler.h"
#include "compiler/formats/ModelFormat.h"
#include "compiler/formats/ModelLoader.h"

#include "dialects/tenon/TenonDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace mlir;
using namespace tenon;

namespace {
namespace fs = std::filesystem;

class ToyModel : public ReadModel {
public:
  ToyModel(const std::string &path, int64_t size) : size(size) {
    files.push_back({path, nullptr});
  }

  OwningOpRef<ModuleOp> import(MLIRContext &context, const CompileOptions &,
                               const DiagnosticHandler &) override {
    OpBuilder builder(&context);
    Location loc = builder.getUnknownLoc();
    OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
    builder.setInsertionPointToEnd(module->getBody());
    auto type = RankedTensorType::get({size}, builder.getF32Type());
    auto main = func::FuncOp::create(builder, loc, "main",
                                     builder.getFunctionType(type, type));
    main.setArgAttr(0, "tenon.name", builder.getStringAttr("x"));
    main.setArgAttr(0, "tenon.dims", builder.getI64ArrayAttr(size));
    main.setResultAttr(0, "tenon.name", builder.getStringAttr("twice"));
    Block *body = main.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    Value x = body->getArgument(0);
    Value twice = AddOp::create(builder, loc, type, x, x);
    func::ReturnOp::create(builder, loc, twice);
    return module;
  }

  std::optional<ModelSummary> describe(const CompileOptions &,
                                       const DiagnosticHandler &) override {
    ModelSummary summary;
    summary.format = "toy";
    summary.inputs = {{"x", "f32", {std::to_string(size)}}};
    return summary;
  }

private:
  int64_t size;
};

class ToyFormat : public ModelFormat {
public:
  bool recognise(const std::string &path) const override {
    std::string word;
    return std::ifstream(path) >> word && word == "toy";
  }

  std::unique_ptr<ReadModel>
  read(const CompileOptions &options,
       const DiagnosticHandler &report) const override {
    std::string word;
    int64_t size = 0;
    if (std::ifstream(options.input) >> word >> size && size > 0)
      return std::make_unique<ToyModel>(options.input, size);
    report({.file = options.input,
            .place = "line 1",
            .text = "expected a size after 'toy'",
            .status = Status::InvalidModel});
    return nullptr;
  }

  void takeOwnOptions(CompileOptions &options) const override {
    options.tensorflow.tag.clear();
  }
};

class ToyFormatTest : public testing::Test {
protected:
  ToyFormatTest() {
    fs::create_directories(folder);
    table = {&toy};
    table.insert(table.end(), modelFormats().begin(), modelFormats().end());
    options.emit = EmitKind::Object;
    options.output = folder / "model.o";
  }
  ~ToyFormatTest() override { fs::remove_all(folder); }

  void write(const std::string &name, const std::string &text) {
    options.input = folder / name;
    std::ofstream(options.input) << text;
  }

  fs::path folder =
      fs::path(testing::TempDir()) / ("toy-format-" + std::to_string(getpid()));
  ToyFormat toy;
  std::vector<const ModelFormat *> table;
  CompileOptions options;
  std::string said;
  DiagnosticHandler report = [this](const tenon::Diagnostic &d) {
    said += formatDiagnostic(d);
  };
};

TEST_F(ToyFormatTest, IsCompiled) {
  write("model", "toy 4");
  CompileReport result = Compiler(report, table).compile(options);
  EXPECT_EQ(result.status, Status::Success) << said;
  EXPECT_TRUE(fs::exists(options.output));
  EXPECT_EQ(result.filesRead, std::vector{options.input});
}

TEST_F(ToyFormatTest, IsDescribed) {
  write("model", "toy 4");
  Status status = Status::Failure;
  ModelSummary summary = Compiler(report, table).describe(options, status);
  EXPECT_EQ(status, Status::Success) << said;
  EXPECT_EQ(summary.format, "toy");
  EXPECT_EQ(summary.inputs.at(0).dims, std::vector<std::string>{"4"});
}

TEST_F(ToyFormatTest, ListsItsFilesByReadingThem) {
  write("model", "toy 4");
  EXPECT_EQ(listModelFiles(options, table), std::vector{options.input});
  write("bad", "toy");
  EXPECT_TRUE(listModelFiles(options, table).empty());
}

TEST_F(ToyFormatTest, ReportsWhatItsReaderRefuses) {
  write("bad", "toy -1");
  EXPECT_EQ(Compiler(report, table).compile(options).status,
            Status::InvalidModel);
  EXPECT_NE(said.find("expected a size after 'toy'"), std::string::npos)
      << said;
}

TEST_F(ToyFormatTest, RefusesOptionsOfOtherFormats) {
  write("model", "toy 4");
  options.tensorflow.tag = "serve"; // one that the toy takes as well
  EXPECT_EQ(Compiler(report, table).compile(options).status, Status::Success)
      << said;
  options.tensorflow.feeds = {"x"};
  EXPECT_EQ(Compiler(report, table).compile(options).status, Status::Usage);
  EXPECT_NE(said.find("are of TensorFlow graphs"), std::string::npos) << said;
}

TEST_F(ToyFormatTest, LeavesOtherFilesToTheirFormats) {
  write("model", "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                 "  return %x : tensor<2xf32>\n}\n");
  EXPECT_EQ(Compiler(report, table).compile(options).status, Status::Success)
      << said;
  write("other", "toys");
  EXPECT_EQ(Compiler(report, table).compile(options).status,
            Status::InvalidModel);
  EXPECT_NE(said.find("not an ONNX model"), std::string::npos) << said;
  EXPECT_EQ(Compiler(report, {table.data(), 1}).compile(options).status,
            Status::InvalidModel);
  EXPECT_NE(said.find("expected a model of a known format"), std::string::npos)
      << said;
}

} // namespace
