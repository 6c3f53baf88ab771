// The loader: whatever is wrong with an artifact is found by reading, before
// any of it runs, and said with what is needed and what is there.
#include "runtime/seal.h"
#include "runtime/xxh64.h"
#include "test/runtime/Session.h"
#include "test/runtime/hand_model.h"

#include <elf.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>

using namespace tenon::test;
namespace fs = std::filesystem;

namespace {

using Bytes = std::vector<char>;

Bytes readFile(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

void writeFile(const std::string &path, const Bytes &bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), std::streamsize(bytes.size()));
}

/// An open that must leave nothing behind when it fails.
struct Opened {
  tenon_status status;
  std::string text;
};

Opened tryOpen(const std::string &path, tenon_open_options options = {}) {
  char text[1024] = "";
  tenon_model *model = nullptr;
  options.struct_size = sizeof options;
  options.error_text = text;
  options.error_text_bytes = sizeof text;
  options.threads = 1;
  tenon_status status = tenon_open(path.c_str(), &options, &model);
  EXPECT_EQ(status == TENON_OK, model != nullptr);
  EXPECT_EQ(status == TENON_OK, text[0] == 0) << text;
  tenon_close(model);
  return {status, text};
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

class Loader : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "tenon-loader-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string path(const std::string &name) const {
    return (folder / name).string();
  }
  fs::path folder;
};

/// Where the weights stand in the file, from its section headers.
std::pair<size_t, size_t> weightsRange(const Bytes &file) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), file.data() + header.e_shoff,
              sections.size() * sizeof(Elf64_Shdr));
  const char *names = file.data() + sections[header.e_shstrndx].sh_offset;
  for (const Elf64_Shdr &s : sections)
    if (std::strcmp(names + s.sh_name, ".tenon.weights") == 0)
      return {s.sh_offset, s.sh_offset + s.sh_size};
  return {0, 0};
}

TEST_F(Loader, EveryCutIsRefused) {
  Bytes whole = readFile(artifact("hand.so"));
  std::string cut = path("cut.so");
  writeFile(cut, whole);
  for (size_t size = whole.size(); size-- > 0;) {
    ASSERT_EQ(truncate(cut.c_str(), off_t(size)), 0);
    Opened opened = tryOpen(cut);
    ASSERT_EQ(opened.status, TENON_BAD_ARTIFACT) << size << opened.text;
  }
}

TEST_F(Loader, TrailingBytesAreRefused) {
  Bytes longer = readFile(artifact("hand.so"));
  longer.push_back(0);
  writeFile(path("longer.so"), longer);
  Opened opened = tryOpen(path("longer.so"));
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(opened.text, "damaged: the file has")) << opened.text;
}

TEST_F(Loader, EveryFlippedByteIsFound) {
  Bytes whole = readFile(artifact("hand.so"));
  auto [weightsBegin, weightsEnd] = weightsRange(whole);
  ASSERT_EQ(weightsEnd - weightsBegin, size_t(HAND_WEIGHT_BYTES));
  std::string flipped = path("flipped.so");
  writeFile(flipped, whole);
  int fd = open(flipped.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  for (size_t at = 0; at < whole.size(); ++at)
    for (int mask : {0x01, 0xff}) {
      char bad = char(whole[at] ^ mask);
      ASSERT_EQ(pwrite(fd, &bad, 1, off_t(at)), 1);
      bool inWeights = at >= weightsBegin && at < weightsEnd;
      tenon_open_options options = {};
      options.verify_weights = inWeights;
      Opened opened = tryOpen(flipped, options);
      ASSERT_EQ(opened.status, TENON_BAD_ARTIFACT) << at << opened.text;
      ASSERT_EQ(pwrite(fd, &whole[at], 1, off_t(at)), 1);
    }
  close(fd);
  tenon_open_options verify = {};
  verify.verify_weights = 1;
  EXPECT_EQ(tryOpen(flipped, verify).status, TENON_OK);
}

TEST_F(Loader, HeadersFullOfNonsense) {
  Bytes whole = readFile(artifact("hand.so"));
  std::mt19937_64 random(20240607);
  const uint64_t values[] = {0,
                             1,
                             7,
                             UINT64_MAX,
                             UINT64_MAX - 7,
                             1ull << 63,
                             1ull << 32,
                             whole.size(),
                             whole.size() - 1};
  std::string bad = path("bad.so");
  for (int round = 0; round < 4000; ++round) {
    Bytes file = whole;
    for (int i = 0, n = 1 + int(random() % 3); i < n; ++i) {
      uint64_t value = random() % 2 ? values[random() % 9] : random();
      size_t bytes = size_t(1) << random() % 4;
      std::memcpy(file.data() + random() % 1024, &value, bytes);
    }
    if (file == whole)
      continue;
    writeFile(bad, file);
    Opened opened = tryOpen(bad);
    ASSERT_EQ(opened.status, TENON_BAD_ARTIFACT) << round << opened.text;
  }
}

TEST_F(Loader, HeadersThatPointAstray) {
  const Bytes whole = readFile(artifact("hand.so"));
  Elf64_Ehdr header;
  std::memcpy(&header, whole.data(), sizeof header);
  auto refusedWith = [&](size_t at, auto value) {
    Bytes bad = whole;
    std::memcpy(bad.data() + at, &value, sizeof value);
    if (bad == whole)
      return;
    writeFile(path("bad.so"), bad);
    Opened opened = tryOpen(path("bad.so"));
    EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT) << at << " " << value;
  };
  const uint64_t far[] = {
      UINT64_MAX,       UINT64_MAX - 63,   1ull << 63, 1ull << 32, whole.size(),
      whole.size() - 1, whole.size() - 63, 1,          0};
  for (uint64_t value : far) {
    refusedWith(offsetof(Elf64_Ehdr, e_phoff), value);
    refusedWith(offsetof(Elf64_Ehdr, e_shoff), value);
    for (unsigned i = 0; i < header.e_phnum; ++i) {
      size_t segment = header.e_phoff + i * sizeof(Elf64_Phdr);
      for (size_t field :
           {offsetof(Elf64_Phdr, p_offset), offsetof(Elf64_Phdr, p_filesz),
            offsetof(Elf64_Phdr, p_memsz), offsetof(Elf64_Phdr, p_align)})
        refusedWith(segment + field, value);
    }
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      size_t section = header.e_shoff + i * sizeof(Elf64_Shdr);
      for (size_t field :
           {offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_size)})
        refusedWith(section + field, value);
    }
  }
  for (uint16_t count : {0, 1, 255, 256, 257, 65535}) {
    refusedWith(offsetof(Elf64_Ehdr, e_phnum), count);
    refusedWith(offsetof(Elf64_Ehdr, e_shnum), count);
    refusedWith(offsetof(Elf64_Ehdr, e_phentsize), count);
  }
}

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
      contains(opened.text, "needs runtime ABI 9, this runtime has ABI 3"))
      << opened.text;
  // An older one, by the note alone.
  unsigned char note[128];
  tenon_make_note(note, sizeof note, TENON_CPU_SSE42, 0, "by hand",
                  "tenon_model_hand");
  Bytes older = readFile(artifact("hand.so"));
  auto at = std::search(older.begin(), older.end(), note, note + 28);
  ASSERT_NE(at, older.end());
  at[20] = 0; // the description's first word
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

TEST_F(Loader, MissingCpuFeaturesAreNamed) {
  tenon_open_options options = {};
  options.cpu_feature_mask = TENON_CPU_AVX;
  Opened opened = tryOpen(artifact("hand.so"), options);
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(opened.text, "does not have: sse4.2\n")) << opened.text;
  options.describe_only = 1;
  EXPECT_EQ(tryOpen(artifact("hand.so"), options).status, TENON_OK);

  // Needs AVX-512 FP16 and AMX, and a bit no runtime knows.
  options = {};
  options.cpu_feature_mask = TENON_CPU_SSE42 | TENON_CPU_AVX2;
  opened = tryOpen(artifact("hand-cpu.so"), options);
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(
      contains(opened.text, "does not have: avx512fp16, amx-tile, bit 40\n"))
      << opened.text;
  tenon_model *model;
  options.struct_size = sizeof options;
  tenon_model_desc desc = tenon_model_hand;
  desc.cpu_features = TENON_CPU_AVX512F;
  EXPECT_EQ(tenon_open_desc(&desc, &options, &model), TENON_BAD_ARTIFACT);
}

TEST_F(Loader, TilesAreAskedFor) {
  if (!(tenon_host_cpu_features() & TENON_CPU_AMX_TILE))
    GTEST_SKIP() << "this host has no AMX";
  tenon_model_desc desc = tenon_model_hand;
  desc.cpu_features = TENON_CPU_AMX_TILE;
  tenon_model *model;
  EXPECT_EQ(tenon_open_desc(&desc, nullptr, &model), TENON_OK);
  tenon_close(model);
}

TEST_F(Loader, TheHostHasWhatItsKernelSays) {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.compare(0, 5, "flags") != 0)
    ;
  line += " ";
  uint64_t host = tenon_host_cpu_features();
  const std::pair<uint64_t, const char *> names[] = {
      {TENON_CPU_SSE42, " sse4_2 "},
      {TENON_CPU_AVX, " avx "},
      {TENON_CPU_AVX2, " avx2 "},
      {TENON_CPU_FMA, " fma "},
      {TENON_CPU_F16C, " f16c "},
      {TENON_CPU_AVX512F, " avx512f "},
      {TENON_CPU_AVX512VL, " avx512vl "},
      {TENON_CPU_MOVBE, " movbe "},
      {TENON_CPU_AVX512BF16, " avx512_bf16 "},
      {TENON_CPU_AVX512FP16, " avx512_fp16 "},
      {TENON_CPU_AVX512VNNI, " avx512_vnni "},
      {TENON_CPU_AVXVNNI, " avx_vnni "},
      {TENON_CPU_LZCNT, " abm "},
      {TENON_CPU_AMX_INT8, " amx_int8 "},
      {TENON_CPU_BMI2, " bmi2 "},
      {TENON_CPU_GFNI, " gfni "},
      {TENON_CPU_VAES, " vaes "},
  };
  for (auto [bit, name] : names)
    EXPECT_EQ((host & bit) != 0, contains(line, name)) << name;
}

TEST_F(Loader, MalformedDescriptors) {
  auto refused = [](auto change) {
    tenon_model_desc desc = tenon_model_hand;
    tenon_function_desc function = desc.functions[0];
    tenon_tensor_desc tensor = function.inputs[0];
    tenon_dim_desc dims[2] = {tensor.dims[0], tensor.dims[1]};
    tensor.dims = dims;
    function.inputs = &tensor;
    function.num_inputs = 1;
    desc.functions = &function;
    desc.num_functions = 1;
    tenon_state_desc states[2] = {desc.states[0], desc.states[1]};
    desc.states = states;
    tenon_model *model;
    EXPECT_EQ(tenon_open_desc(&desc, nullptr, &model), TENON_OK);
    tenon_close(model);
    change(desc, function, tensor, dims, states);
    return tenon_open_desc(&desc, nullptr, &model) == TENON_BAD_ARTIFACT;
  };
#define REFUSED(CHANGE)                                                        \
  EXPECT_TRUE(refused([](tenon_model_desc &desc, tenon_function_desc &f,       \
                         tenon_tensor_desc &t, tenon_dim_desc *dims,           \
                         tenon_state_desc *states) {                           \
    (void)desc, (void)f, (void)t, (void)dims, (void)states;                    \
    CHANGE;                                                                    \
  })) << #CHANGE
  REFUSED(desc.magic ^= 1);
  REFUSED(desc.struct_size = 8);
  REFUSED(desc.num_functions = 0);
  REFUSED(desc.functions = nullptr);
  REFUSED(desc.name = nullptr);
  REFUSED(f.plan = nullptr);
  REFUSED(f.run = nullptr);
  REFUSED(f.num_inputs = -1);
  REFUSED(f.inputs = nullptr);
  REFUSED(f.num_sites = 3; f.sites = nullptr);
  REFUSED(f.num_kernels = 1; f.kernels = nullptr);
  REFUSED(f.num_launches = 1; f.launches = nullptr);
  REFUSED(f.num_variants = -1);
  REFUSED(f.num_variants = 1; f.variants = nullptr);
  REFUSED(static const tenon_variant_desc none = {}; f.variants = &none);
  REFUSED(t.dtype = 99);
  REFUSED(t.rank = 65);
  REFUSED(t.rank = -1);
  REFUSED(t.dims = nullptr);
  REFUSED(t.name = nullptr);
  REFUSED(dims[0].multiple = 0);
  REFUSED(dims[0].min = 9);
  REFUSED(dims[0].min = -1);
  REFUSED(dims[0].size = -2);
  REFUSED(dims[1].max = 5);
  REFUSED(dims[1].name = nullptr);
  REFUSED(desc.num_states = -1);
  REFUSED(desc.states = nullptr);
  REFUSED(desc.state_bytes = 79);
  REFUSED(states[0].name = nullptr);
  REFUSED(states[0].dtype = 0);
  REFUSED(states[0].rank = 65);
  REFUSED(states[0].bytes = 4);
  REFUSED(states[1].dims = nullptr);
  REFUSED(states[1].offset = 72);
  REFUSED(states[1].offset = 0);
  REFUSED(states[1].offset = UINT64_MAX - 63);
  REFUSED(states[1].initial = 1);
  REFUSED(states[1].initial = UINT64_MAX - 1);
  REFUSED(desc.weights = nullptr);
  REFUSED(desc.weights = nullptr; desc.weight_file = "../x");
#undef REFUSED
}

TEST_F(Loader, AFileSystemWithoutPrograms) {
  // In a child: a mount in a namespace of its own.
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.c_str(), "tmpfs", MS_NOEXEC, "") != 0)
      _exit(99);
    fs::copy_file(artifact("hand.so"), path("hand.so"));
    Opened opened = tryOpen(path("hand.so"));
    _exit(opened.status == TENON_IO && contains(opened.text, "cannot load: ") &&
                  contains(opened.text, "hand.so: failed to map segment")
              ? 0
              : 1);
  }
  int state = 0;
  waitpid(child, &state, 0);
  if (WIFEXITED(state) && WEXITSTATUS(state) == 99)
    GTEST_SKIP() << "mounting needs a privilege";
  EXPECT_TRUE(WIFEXITED(state));
  EXPECT_EQ(WEXITSTATUS(state), 0);
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
  // All but the sealed fields, which stand between 28 and 60.
  auto at = std::search(file.begin(), file.end(), note, note + 28);
  ASSERT_NE(at, file.end());
  EXPECT_EQ(std::memcmp(&at[60], note + 60, 128 - 60), 0);
}

/// A weight file as the compiler would write it.
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

class Weights : public Loader {
protected:
  void SetUp() override {
    Loader::SetUp();
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
    tenon_model_info info = {};
    info.struct_size = sizeof info;
    tenon_get_model_info(session.model, &info);
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
  // A stated hash is believed unless asked not to.
  Bytes damaged = weightFile(goodMetadata, 128, {1, 2, 3, 4});
  EXPECT_EQ(openWith(damaged).status, TENON_OK);
  tenon_open_options verify = {};
  verify.verify_weights = 1;
  EXPECT_EQ(openWith(damaged, verify).status, TENON_BAD_ARTIFACT);
}

TEST_F(Weights, UnderTheNameTheyHaveWhileTheyAreReplaced) {
  // The artifact has its place, its weights not yet: the old ones or none stand
  // there.
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
      tenon_model_info info = {};
      info.struct_size = sizeof info;
      tenon_get_model_info(session.model, &info);
      EXPECT_EQ(info.weights_path, keyed);
    }
    // What is there is held against the hash like any other.
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

// Large weights are copied unless the caller says otherwise; a host's own blob
// is read and stays as it is.
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
    tenon_model_info info = {};
    info.struct_size = sizeof info;
    ASSERT_EQ(tenon_get_model_info(model, &info), TENON_OK);
    EXPECT_EQ(info.weights_copied, mode != TENON_WEIGHTS_MAP);
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

TEST(Hash, MatchesTheReference) {
  auto hash = [](const std::string &text) {
    return tenon_xxh64_of(text.data(), text.size());
  };
  EXPECT_EQ(hash(""), 0xef46db3751d8e999u);
  EXPECT_EQ(hash("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(hash("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(hash("Nobody inspects the spammish repetition"),
            0xfbcea83c8a378bf1u);
}

TEST(Hash, PiecesGiveTheSame) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text.push_back(char(i * 31));
  uint64_t whole = tenon_xxh64_of(text.data(), text.size());
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    tenon_xxh64 state;
    tenon_xxh64_begin(&state, 0);
    for (size_t at = 0; at < text.size();) {
      size_t take = std::min<size_t>(random() % 70, text.size() - at);
      tenon_xxh64_add(&state, text.data() + at, take);
      at += take;
    }
    ASSERT_EQ(tenon_xxh64_end(&state), whole);
  }
}

} // namespace
