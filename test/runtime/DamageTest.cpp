// Tests artifacts that are cut, have flipped bytes or wrong headers. Each must
// be refused before any of it runs.
#include "test/runtime/ArtifactFolder.h"
#include "test/runtime/hand_model.h"

#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <random>
#include <unistd.h>

using namespace tenon::test;

namespace {

using Damage = ArtifactFolder;

/// The range of the weights in the file, from its section headers.
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

TEST_F(Damage, EveryCutIsRefused) {
  Bytes whole = readFile(artifact("hand.so"));
  std::string cut = path("cut.so");
  writeFile(cut, whole);
  for (size_t size = whole.size(); size-- > 0;) {
    ASSERT_EQ(truncate(cut.c_str(), off_t(size)), 0);
    Opened opened = tryOpen(cut);
    ASSERT_EQ(opened.status, TENON_BAD_ARTIFACT) << size << opened.text;
  }
}

TEST_F(Damage, TrailingBytesAreRefused) {
  Bytes longer = readFile(artifact("hand.so"));
  longer.push_back(0);
  writeFile(path("longer.so"), longer);
  Opened opened = tryOpen(path("longer.so"));
  EXPECT_EQ(opened.status, TENON_BAD_ARTIFACT);
  EXPECT_TRUE(contains(opened.text, "damaged: the file has")) << opened.text;
}

TEST_F(Damage, EveryFlippedByteIsFound) {
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

TEST_F(Damage, HeadersFullOfNonsense) {
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

TEST_F(Damage, HeadersThatPointAstray) {
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

} // namespace
