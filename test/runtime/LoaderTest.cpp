// Tests the loader: it names files of other kinds and machines correctly, and
// models can be opened and closed without a trace.
#include "runtime/seal.h"
#include "test/ChildProcess.h"
#include "test/runtime/ArtifactFolder.h"
#include "test/runtime/hand_model.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <memory>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tenon::test;
namespace fs = std::filesystem;

namespace {

using Loader = ArtifactFolder;

TEST_F(Loader, OtherFiles) {
  auto with = [&](const std::string &text) {
    writeFile(path("other"), Bytes(text.begin(), text.end()));
    return tryOpen(path("other"));
  };
  for (const std::string &text :
       {std::string(), std::string("\x7f"), std::string("hello, world\n"),
        std::string(5000, 'x')}) {
    Opened opened = with(text);
    EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
    EXPECT_EQ(opened.text, "not an ELF file");
  }
  Opened self = tryOpen("/proc/self/exe");
  EXPECT_EQ(self.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(self.text, "no .note.tenon")) << self.text;
}

TEST_F(Loader, PathsThatAreNoFiles) {
  EXPECT_EQ(tryOpen(path("missing.so")).status, TENON_IO);
  EXPECT_EQ(tryOpen(folder.string()).status, TENON_IO);
  EXPECT_EQ(tryOpen("").status, TENON_IO);
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  Opened opened = tryOpen(path("pipe"));
  EXPECT_EQ(opened.status, TENON_IO);
  EXPECT_EQ(opened.text, "not a regular file");
}

TEST_F(Loader, AnotherMachine) {
  Bytes file = readFile(artifact("hand.so"));
  uint16_t machine = EM_AARCH64;
  std::memcpy(file.data() + offsetof(Elf64_Ehdr, e_machine), &machine, 2);
  writeFile(path("arm.so"), file);
  Opened opened = tryOpen(path("arm.so"));
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(opened.text, "built for aarch64")) << opened.text;
}

TEST_F(Loader, AnotherAbi) {
  Opened opened = tryOpen(artifact("hand-abi.so"));
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(
      contains(opened.text, "needs runtime ABI 9, this runtime has ABI 8"))
      << opened.text;
  // An artifact of an older ABI, by its note only.
  unsigned char note[128];
  tenon_make_note(note, sizeof note, TENON_CPU_SSE42, 0, "by hand",
                  "tenon_model_hand");
  Bytes older = readFile(artifact("hand.so"));
  auto at = std::search(older.begin(), older.end(), note, note + 28);
  ASSERT_NE(at, older.end());
  at[20] = 0; // first word of the description: the ABI version
  writeFile(path("older.so"), older);
  opened = tryOpen(path("older.so"));
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(opened.text, "needs runtime ABI 0")) << opened.text;
  EXPECT_TRUE(contains(opened.text, "older runtime")) << opened.text;

  tenon_model_desc desc = tenon_model_hand;
  desc.abi_version = 1;
  tenon_model *model;
  EXPECT_EQ(tenon_open_desc(&desc, nullptr, &model), TENON_BAD_ARTIFACT);
}

/// The model of hand.so, with code that needs CPU features.
struct NeedyModel {
  tenon_version_desc version = tenon_model_hand.versions[0];
  tenon_model_desc desc = tenon_model_hand;
  char text[512] = "";

  explicit NeedyModel(uint64_t features) {
    desc.cpu_features = version.cpu_features = features;
    desc.versions = &version;
    desc.num_versions = 1;
  }
  tenon_status open(tenon_open_options options) {
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    tenon_model *model;
    tenon_status status = tenon_open_desc(&desc, &options, &model);
    tenon_close(model);
    return status;
  }
};

TEST_F(Loader, MissingCpuFeaturesAreNamed) {
  tenon_open_options options = {};
  options.cpu_feature_mask = TENON_CPU_AVX;
  Opened opened = tryOpen(artifact("hand.so"), options);
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(opened.text, "does not have: sse4.2\n")) << opened.text;
  options.describe_only = 1;
  EXPECT_EQ(tryOpen(artifact("hand.so"), options).status, TENON_OK);

  // The artifact needs AVX-512 FP16 and AMX, and a bit that no runtime knows.
  options = {};
  options.cpu_feature_mask = TENON_CPU_SSE42 | TENON_CPU_AVX2;
  opened = tryOpen(artifact("hand-cpu.so"), options);
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(
      contains(opened.text, "does not have: avx512fp16, amx-tile, bit 40\n"))
      << opened.text;
  NeedyModel needy(TENON_CPU_AVX512F);
  EXPECT_EQ(needy.open(options), TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(needy.text, "does not have: avx512f\n")) << needy.text;
}

TEST_F(Loader, TilesAreAskedFor) {
  if (!(tenon_host_cpu_features() & TENON_CPU_AMX_TILE))
    GTEST_SKIP() << "this host has no AMX";
  NeedyModel needy(TENON_CPU_AMX_TILE);
  EXPECT_EQ(needy.open({}), TENON_OK) << needy.text;
}

TEST_F(Loader, AFileSystemWithoutPrograms) {
  // Uses a mount in its own namespace.
  constexpr int notAllowed = 99;
  int code = inChild([&] {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.c_str(), "tmpfs", MS_NOEXEC, "") != 0)
      return notAllowed;
    fs::copy_file(artifact("hand.so"), path("hand.so"));
    Opened opened = tryOpen(path("hand.so"));
    return opened.status == TENON_IO &&
                   contains(opened.text, "cannot load: ") &&
                   contains(opened.text, "hand.so: failed to map segment")
               ? 0
               : 1;
  });
  if (code == notAllowed)
    GTEST_SKIP() << "mounting needs a privilege";
  EXPECT_EQ(code, 0);
}

TEST_F(Loader, LoadsAndUnloadsManyTimes) {
  auto openFiles = [] {
    auto list = fs::directory_iterator("/proc/self/fd");
    return std::distance(fs::begin(list), fs::end(list));
  };
  auto maps = [] { return readFile("/proc/self/maps").size(); };
  tryOpen(artifact("hand.so"));
  auto filesBefore = openFiles();
  size_t mapsBefore = maps();
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(tryOpen(artifact("hand.so")).status, TENON_OK);
  EXPECT_EQ(openFiles(), filesBefore);
  EXPECT_LT(maps(), mapsBefore + 4096);
}

TEST_F(Loader, ManyModelsAtOnce) {
  std::vector<std::unique_ptr<Session>> sessions;
  for (int i = 0; i < 200; ++i) {
    std::string copy = path("m" + std::to_string(i) + ".so");
    fs::copy_file(artifact("hand.so"), copy);
    sessions.push_back(std::make_unique<Session>(copy, 1));
  }
  for (auto &session : sessions) {
    MainCall call(2);
    EXPECT_EQ(call.run(session->context), TENON_OK);
    EXPECT_TRUE(call.isRight());
  }
}

TEST_F(Loader, AReplacedFileIsTheNewModel) {
  std::string model = path("model.so");
  fs::copy_file(artifact("hand.so"), model);
  Session first(model);
  for (int i = 0; i < 3; ++i) {
    const char *name = i % 2 ? "hand.so" : "hand-lld.so";
    fs::copy_file(artifact(name), path("new.so"));
    fs::rename(path("new.so"), model);
    Session second(model);
    EXPECT_STREQ(tenon_describe(second.model)->name,
                 i % 2 ? "hand" : "hand-lld");
    MainCall call(1);
    EXPECT_EQ(call.run(second.context), TENON_OK);
    EXPECT_TRUE(call.isRight());
  }
  EXPECT_STREQ(tenon_describe(first.model)->name, "hand");
}

TEST_F(Loader, SealingTwiceGivesTheSameBytes) {
  writeFile(path("again.so"), readFile(artifact("hand.so")));
  char text[256] = "";
  EXPECT_EQ(tenon_seal_artifact(path("again.so").c_str(), text, sizeof text), 0)
      << text;
  EXPECT_EQ(readFile(path("again.so")), readFile(artifact("hand.so")));
  EXPECT_NE(tenon_seal_artifact("/proc/self/exe", text, sizeof text), 0);
  EXPECT_NE(tenon_seal_artifact(path("no.so").c_str(), text, sizeof text), 0);
}

TEST_F(Loader, TheNotesBytes) {
  EXPECT_EQ(tenon_make_note(nullptr, 0, 0, 0, "", ""), 0u);
  unsigned char note[128];
  size_t bytes = tenon_make_note(note, sizeof note, TENON_CPU_SSE42, 0,
                                 "by hand", "tenon_model_hand");
  ASSERT_EQ(bytes, 128u);
  Bytes file = readFile(artifact("hand.so"));
  // Compare all but the sealed fields, which are at bytes 28 to 60.
  auto at = std::search(file.begin(), file.end(), note, note + 28);
  ASSERT_NE(at, file.end());
  EXPECT_EQ(std::memcmp(&at[60], note + 60, 128 - 60), 0);
}

} // namespace
