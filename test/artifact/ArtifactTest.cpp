// Every kind of artifact, opened by the runtime where it can be.
#include "test/artifact/SmallModel.h"

#include "runtime/tenon.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace tenon::test {
namespace {

/// Opens `path` and runs it on `rows` rows; the text of what went wrong.
std::string runOn(const std::string &path, int64_t rows,
                  std::vector<float> &result, bool verify = true) {
  char text[1024] = "";
  tenon_open_options open = {};
  open.struct_size = sizeof open;
  open.error_text = text;
  open.error_text_bytes = sizeof text;
  open.verify_weights = verify;
  tenon_model *model = nullptr;
  if (tenon_open(path.c_str(), &open, &model) != TENON_OK)
    return text;
  tenon_context *context = nullptr;
  tenon_context_create(model, nullptr, &context);
  std::vector<float> x(rows * 4, 1.0f);
  int64_t dims[2] = {rows, 4};
  tenon_tensor in = {};
  in.struct_size = sizeof in;
  in.dtype = TENON_F32;
  in.rank = 2;
  in.dims = dims;
  in.data = x.data();
  in.bytes = x.size() * 4;
  tenon_tensor out = {};
  out.struct_size = sizeof out;
  std::string wrong;
  if (tenon_run(context, nullptr, &in, 1, &out, 1) != TENON_OK)
    wrong = tenon_context_text(context);
  else
    result.assign(static_cast<float *>(out.data),
                  static_cast<float *>(out.data) + out.dims[0] * out.dims[1]);
  tenon_context_destroy(context);
  tenon_close(model);
  return wrong;
}

const std::vector<float> oneRow = {1.5f, 2.0f, 2.5f, 3.0f};

TEST(Artifact, SharedRuns) {
  SmallModel model("shared");
  CompileReport report = model.write("small.so");
  ASSERT_EQ(report.status, Status::Success) << model.text();
  EXPECT_EQ(report.weightBytes, 128);
  EXPECT_EQ(report.arenaBytes, 256);
  std::vector<float> y;
  EXPECT_EQ(runOn(model.path("small.so"), 1, y), "");
  EXPECT_EQ(y, oneRow);
  EXPECT_EQ(namesIn(model.folder),
            (std::vector<std::string>{"small.so", "weights.bin"}));
}

TEST(Artifact, FaultsNameTheirSite) {
  SmallModel model("fault");
  ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
  std::vector<float> y;
  std::string wrong = runOn(model.path("small.so"), 7, y);
  EXPECT_NE(wrong.find("node \"seven\" (Add)"), std::string::npos) << wrong;
}

TEST(Artifact, ExternalWeights) {
  SmallModel model("external");
  model.options.weights = WeightPlacement::External;
  CompileReport report = model.write("small.so");
  ASSERT_EQ(report.status, Status::Success) << model.text();
  EXPECT_EQ(report.weightsFile, model.path("small.safetensors"));
  std::vector<float> y;
  EXPECT_EQ(runOn(model.path("small.so"), 1, y), "");
  EXPECT_EQ(y, oneRow);
}

TEST(Artifact, AutoPlacesByTheLimit) {
  SmallModel model("auto");
  model.options.externalWeightBytes = 127;
  ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
  EXPECT_EQ(namesIn(model.folder),
            (std::vector<std::string>{"small.safetensors", "small.so",
                                      "weights.bin"}));
  model.options.externalWeightBytes = 128;
  EXPECT_EQ(model.write("small.so").weightsFile, "");
}

TEST(Artifact, SameBytesTwice) {
  SmallModel a("twice-a"), b("twice-b");
  for (EmitKind kind : {EmitKind::Shared, EmitKind::Object, EmitKind::Assembly,
                        EmitKind::LlvmIr}) {
    ASSERT_EQ(a.write("small.x", kind).status, Status::Success) << a.text();
    ASSERT_EQ(b.write("small.x", kind).status, Status::Success) << b.text();
    EXPECT_EQ(readFile(a.path("small.x")), readFile(b.path("small.x")));
  }
}

TEST(Artifact, DamageIsRefused) {
  SmallModel model("damage");
  ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
  std::string good = readFile(model.path("small.so"));
  std::vector<float> y;
  for (size_t at = 0; at < good.size(); at += 97) {
    std::string bad = good;
    bad[at] ^= 0x10;
    writeFile(model.path("bad.so"), bad);
    EXPECT_NE(runOn(model.path("bad.so"), 1, y), "") << at;
    writeFile(model.path("bad.so"), good.substr(0, at));
    EXPECT_NE(runOn(model.path("bad.so"), 1, y), "") << at;
  }
}

TEST(Artifact, TextForms) {
  SmallModel model("text");
  ASSERT_EQ(model.write("small.s", EmitKind::Assembly).status, Status::Success);
  std::string assembly = readFile(model.path("small.s"));
  EXPECT_NE(assembly.find(".globl\ttenon_model_small"), std::string::npos);
  ASSERT_EQ(model.write("small.ll", EmitKind::LlvmIr).status, Status::Success);
  EXPECT_NE(readFile(model.path("small.ll")).find("map.add.0.task"),
            std::string::npos);
}

TEST(Artifact, UnknownTargetsAreUsage) {
  SmallModel model("target");
  model.options.cpu = "x86-64-v9";
  EXPECT_EQ(model.write("small.so").status, Status::Usage);
  EXPECT_NE(model.text().find("x86-64-v4"), std::string::npos) << model.text();
  model.options.cpu = "x86-64-v3";
  model.options.triple = "aarch64-linux-gnu";
  EXPECT_EQ(model.write("small.so").status, Status::Usage);
  model.options.triple = "";
  model.options.features = {"+warp"};
  EXPECT_EQ(model.write("small.so").status, Status::Usage);
  EXPECT_EQ(namesIn(model.folder), (std::vector<std::string>{"weights.bin"}));
}

TEST(Artifact, SourcesThatChangedAreRefused) {
  SmallModel model("changed");
  ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
  std::string old = readFile(model.path("small.so"));
  writeFile(model.path("weights.bin"), "short");
  EXPECT_EQ(model.write("small.so").status, Status::Io);
  EXPECT_EQ(readFile(model.path("small.so")), old);
  EXPECT_EQ(namesIn(model.folder),
            (std::vector<std::string>{"small.so", "weights.bin"}));
}

} // namespace
} // namespace tenon::test
