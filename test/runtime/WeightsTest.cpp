// Tests weights in a file beside the artifact: which file is used, what is
// refused, and what is copied.
#include "test/runtime/ArtifactFolder.h"
#include "test/runtime/hand_model.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace tenon::test;
namespace fs = std::filesystem;

namespace {

/// A weight file as the compiler writes it.
Bytes weightFile(const std::string &metadata, size_t start = 128,
                 std::vector<float> values = {0.5f, 1.f, 1.5f, 2.f}) {
  std::string header = "{" + metadata +
                       "\"w\":{\"dtype\":\"F32\",\"shape\":[4],"
                       "\"data_offsets\":[0,16]}}";
  header.resize(start - 8, ' ');
  uint64_t bytes = header.size();
  Bytes file(8);
  std::memcpy(file.data(), &bytes, 8);
  file.insert(file.end(), header.begin(), header.end());
  const char *raw = reinterpret_cast<const char *>(values.data());
  file.insert(file.end(), raw, raw + values.size() * 4);
  return file;
}

const std::string goodMetadata =
    "\"__metadata__\":{\"tenon.hash\":\"f325f7f2bf945101\"},";

class Weights : public ArtifactFolder {
protected:
  void SetUp() override {
    ArtifactFolder::SetUp();
    fs::copy_file(artifact("hand-external.so"), path("m.so"));
  }
  Opened openWith(const Bytes &file, tenon_open_options options = {}) {
    writeFile(path("hand.safetensors"), file);
    return tryOpen(path("m.so"), options);
  }
};

TEST_F(Weights, BesideTheArtifact) {
  for (size_t start : {128, 100}) { // 100: not aligned, so it is copied
    writeFile(path("hand.safetensors"), weightFile(goodMetadata, start + 64));
    Session session(path("m.so"));
    MainCall call(2);
    EXPECT_EQ(call.run(session.context), TENON_OK);
    EXPECT_TRUE(call.isRight());
    tenon_model_info info = infoOf(session.model);
    EXPECT_EQ(info.weights_copied, start == 100);
    EXPECT_EQ(info.weights_path, path("hand.safetensors"));
  }
}

TEST_F(Weights, MissingOrWrong) {
  Opened opened = tryOpen(path("m.so"));
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(opened.text, "hand.safetensors: No such file"))
      << opened.text;
  auto refused = [&](const Bytes &file, const char *part) {
    Opened result = openWith(file);
    EXPECT_EQ(result.status, TENON_BAD_ARTIFACT) << part;
    EXPECT_TRUE(contains(result.text, part)) << result.text;
  };
  const char *other = "\"__metadata__\":{\"tenon.hash\":\"f325f7f2bf945100\"},";
  refused(weightFile(other), "another model or another build");
  refused(weightFile(goodMetadata, 128, {1, 2, 3}), "expected 16 bytes");
  refused(weightFile(goodMetadata, 128, {1, 2, 3, 4, 5}), "found 20");
  refused(weightFile("", 128, {1, 2, 3, 4}), "damaged or of another model");
  refused({}, "not a safetensors file");
  refused(Bytes(7), "not a safetensors file");
  refused(Bytes(24, '\xff'), "not a safetensors file");
  // Without a stated hash the contents decide.
  EXPECT_EQ(openWith(weightFile("")).status, TENON_OK);
  // A stated hash is trusted unless verify_weights is set.
  Bytes damaged = weightFile(goodMetadata, 128, {1, 2, 3, 4});
  EXPECT_EQ(openWith(damaged).status, TENON_OK);
  tenon_open_options verify = {};
  verify.verify_weights = 1;
  EXPECT_EQ(openWith(damaged, verify).status, TENON_BAD_ARTIFACT);
}

TEST_F(Weights, UnderTheNameTheyHaveWhileTheyAreReplaced) {
  // The new artifact is in place, but beside it are the old weights or none.
  std::string keyed = path(".hand.safetensors.f325f7f2bf945101");
  const char *other = "\"__metadata__\":{\"tenon.hash\":\"f325f7f2bf945100\"},";
  for (const Bytes &old :
       {Bytes(), weightFile(other), weightFile(other, 256)}) {
    fs::remove(path("hand.safetensors"));
    if (!old.empty())
      writeFile(path("hand.safetensors"), old);
    writeFile(keyed, weightFile(goodMetadata));
    {
      Session session(path("m.so"));
      MainCall call(2);
      EXPECT_EQ(call.run(session.context), TENON_OK);
      EXPECT_TRUE(call.isRight());
      EXPECT_EQ(infoOf(session.model).weights_path, keyed);
    }
    // The file is checked against the hash like any other.
    writeFile(keyed, weightFile(other));
    Opened opened = tryOpen(path("m.so"));
    EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
    EXPECT_FALSE(contains(opened.text, ".hand.")) << opened.text;
  }
}

TEST_F(Weights, EveryCutIsRefused) {
  Bytes whole = weightFile(goodMetadata);
  for (size_t size = 0; size < whole.size(); ++size) {
    Opened opened = openWith(Bytes(whole.begin(), whole.begin() + long(size)));
    ASSERT_EQ(opened.status, TENON_BAD_ARTIFACT) << size;
  }
}

TEST_F(Weights, NotARegularFile) {
  ASSERT_EQ(mkfifo(path("hand.safetensors").c_str(), 0600), 0);
  EXPECT_EQ(tryOpen(path("m.so")).status, TENON_IO);
}

TEST_F(Weights, ElsewhereByOption) {
  fs::create_directory(folder / "w");
  writeFile(path("w/hand.safetensors"), weightFile(goodMetadata));
  tenon_open_options options = {};
  std::string place = path("w");
  options.weights_path = place.c_str();
  EXPECT_EQ(tryOpen(path("m.so"), options).status, TENON_OK);
  place = path("w/hand.safetensors");
  options.weights_path = place.c_str();
  EXPECT_EQ(tryOpen(path("m.so"), options).status, TENON_OK);
  place = path("w/no.safetensors");
  options.weights_path = place.c_str();
  EXPECT_EQ(tryOpen(path("m.so"), options).status, TENON_BAD_ARTIFACT);
}

// Large weights are copied unless the caller decides otherwise. A blob in the
// host's memory is only read.
TEST_F(Weights, LargeOnesAreCopied) {
  constexpr size_t bytes = size_t(9) << 20;
  std::unique_ptr<unsigned char, decltype(&std::free)> blob(
      static_cast<unsigned char *>(
          std::aligned_alloc(TENON_WEIGHT_ALIGNMENT, bytes)),
      std::free);
  std::memset(blob.get(), 42, bytes);
  tenon_model_desc desc = tenon_model_hand;
  desc.weights = blob.get();
  desc.weight_bytes = bytes;
  for (int32_t mode :
       {TENON_WEIGHTS_AUTO, TENON_WEIGHTS_COPY, TENON_WEIGHTS_MAP}) {
    tenon_open_options options = {};
    options.struct_size = sizeof options;
    options.weights_mode = mode;
    tenon_model *model;
    ASSERT_EQ(tenon_open_desc(&desc, &options, &model), TENON_OK);
    EXPECT_EQ(infoOf(model).weights_copied, mode != TENON_WEIGHTS_MAP);
    EXPECT_EQ(tenon_close(model), TENON_OK);
  }
  EXPECT_EQ(std::count(blob.get(), blob.get() + bytes, 42), int64_t(bytes));
}

TEST_F(Weights, ACopySurvivesTruncation) {
  for (const char *name : {"hand-external.so", "hand.so"}) {
    writeFile(path("hand.safetensors"), weightFile(goodMetadata));
    tenon_open_options options = {};
    options.struct_size = sizeof options;
    options.weights_mode = TENON_WEIGHTS_COPY;
    std::string place = path("hand.safetensors");
    options.weights_path = place.c_str();
    tenon_model *model;
    tenon_context *context;
    ASSERT_EQ(tenon_open(artifact(name).c_str(), &options, &model), TENON_OK);
    ASSERT_EQ(truncate(place.c_str(), 0), 0);
    ASSERT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
    MainCall call(2);
    EXPECT_EQ(call.run(context), TENON_OK);
    EXPECT_TRUE(call.isRight());
    tenon_context_destroy(context);
    tenon_close(model);
  }
}

} // namespace
