// Tests every kind of artifact; the runtime opens those that it can.
#include "test/artifact/SmallModel.h"

#include "runtime/tenon.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::test {
namespace {

/// Opens `path` and runs it on `rows` rows. Returns the text of an error, or an
/// empty string.
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

/// Damages `path`: flips every byte, then cuts it at every length, and opens
/// `artifact` each time. It must be refused, or `mayRun` must allow the offset
/// and the values must be right.
void damageEveryByte(const std::string &path, const std::string &artifact,
                     const std::function<bool(size_t)> &mayRun) {
  std::string good = readFile(path);
  int fd = open(path.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  std::vector<float> y;
  for (size_t at = 0; at < good.size(); ++at)
    for (char mask : {'\x01', '\xff'}) {
      char bad = char(good[at] ^ mask);
      ASSERT_EQ(pwrite(fd, &bad, 1, off_t(at)), 1);
      if (runOn(artifact, 1, y).empty()) {
        ASSERT_TRUE(mayRun(at)) << at;
        ASSERT_EQ(y, oneRow) << at;
      }
      ASSERT_EQ(pwrite(fd, &good[at], 1, off_t(at)), 1);
    }
  for (size_t size = good.size(); size-- > 0;) {
    ASSERT_EQ(ftruncate(fd, off_t(size)), 0);
    ASSERT_NE(runOn(artifact, 1, y), "") << "cut to " << size;
  }
  close(fd);
  writeFile(path, good);
  EXPECT_EQ(runOn(artifact, 1, y), "");
}

TEST(Artifact, DamageIsRefused) {
  SmallModel model("damage");
  ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
  damageEveryByte(model.path("small.so"), model.path("small.so"),
                  [](size_t) { return false; });
}

TEST(Artifact, DamagedWeightsAreRefused) {
  SmallModel model("damaged-weights");
  model.options.weights = WeightPlacement::External;
  ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
  // The header has names and ranges for other readers, which the model ignores.
  // After it come 128 bytes of weights.
  size_t blob = readFile(model.path("small.safetensors")).size() - 128;
  damageEveryByte(model.path("small.safetensors"), model.path("small.so"),
                  [&](size_t at) { return at >= 8 && at < blob; });
}

TEST(Artifact, ALargerProcessorIsNeeded) {
  SmallModel model("larger");
  model.options.cpu = "sapphirerapids";
  ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
  char text[1024] = "";
  tenon_open_options open = {};
  open.struct_size = sizeof open;
  open.error_text = text;
  open.error_text_bytes = sizeof text;
  open.cpu_feature_mask = TENON_CPU_SSE42 | TENON_CPU_AVX | TENON_CPU_AVX2;
  tenon_model *opened = nullptr;
  EXPECT_EQ(tenon_open(model.path("small.so").c_str(), &open, &opened),
            TENON_BAD_ARTIFACT);
  EXPECT_NE(std::string(text).find("does not have: "), std::string::npos);
  EXPECT_NE(std::string(text).find("avx512f"), std::string::npos) << text;
}

TEST(Artifact, VersionsAreChosenWhenOpened) {
  SmallModel model("versions");
  model.options.versions = {"x86-64-v2", "sapphirerapids", "x86-64-v3"};
  for (WeightPlacement place :
       {WeightPlacement::Embed, WeightPlacement::External}) {
    model.options.weights = place;
    ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
    tenon_open_options open = {};
    open.struct_size = sizeof open;
    open.cpu_feature_mask = TENON_CPU_SSE42;
    tenon_model *opened = nullptr;
    ASSERT_EQ(tenon_open(model.path("small.so").c_str(), &open, &opened),
              TENON_OK);
    const tenon_model_desc *desc = tenon_describe(opened);
    ASSERT_EQ(desc->num_versions, 3);
    EXPECT_STREQ(desc->versions[0].name, "sapphirerapids");
    EXPECT_STREQ(desc->versions[2].name, "x86-64-v2");
    EXPECT_EQ(desc->versions[2].cpu_features, uint64_t(TENON_CPU_SSE42));
    // The code uses no tiles.
    EXPECT_FALSE(desc->versions[0].cpu_features & TENON_CPU_AMX_TILE);
    for (int i = 0; i < 3; ++i)
      EXPECT_GT(desc->versions[i].code_bytes, 16u) << i;
    tenon_model_info info = {};
    info.struct_size = sizeof info;
    ASSERT_EQ(tenon_get_model_info(opened, &info), TENON_OK);
    EXPECT_STREQ(info.version, "x86-64-v2");
    EXPECT_EQ(info.cpu_features, uint64_t(TENON_CPU_SSE42));
    tenon_close(opened);
    std::vector<float> y;
    EXPECT_EQ(runOn(model.path("small.so"), 1, y), "");
    EXPECT_EQ(y, oneRow);
  }
}

TEST(Artifact, VersionsThatNoMachineTellsApart) {
  SmallModel model("apart");
  model.options.versions = {"x86-64-v2", "x86-64-v3", "nehalem"};
  EXPECT_EQ(model.write("small.so").status, Status::Usage);
  EXPECT_NE(model.text().find("need the same instructions"), std::string::npos)
      << model.text();
}

TEST(Artifact, TuningIsNoNeed) {
  // Both CPUs have one instruction set and differ in tuning.
  uint64_t needed = 0;
  for (const char *cpu : {"x86-64-v2", "nehalem"}) {
    SmallModel model("tuning");
    model.options.cpu = cpu;
    ASSERT_EQ(model.write("small.so").status, Status::Success) << model.text();
    EXPECT_EQ(model.text(), "");
    std::vector<float> y;
    EXPECT_EQ(runOn(model.path("small.so"), 1, y), "");
    EXPECT_EQ(y, oneRow);
    tenon_model *opened = nullptr;
    ASSERT_EQ(tenon_open(model.path("small.so").c_str(), nullptr, &opened),
              TENON_OK);
    uint64_t features = tenon_describe(opened)->cpu_features;
    EXPECT_TRUE(needed == 0 || features == needed) << cpu;
    needed = features;
    tenon_close(opened);
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
