// Edits ELF64 little-endian objects. LLVM has just written them, but every
// offset is still checked: a wrong one would give a corrupt file.
#include "compiler/artifact/ObjectFile.h"

#include "runtime/tenon_abi.h"
#include "runtime/tenon_note.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace llvm::ELF;

namespace tenon {
namespace {
/// From this size on, weights between code and data would put them too far
/// apart for 32-bit distances. A section marked large is laid at the edge
/// instead.
constexpr uint64_t largeBytes = uint64_t(1) << 30;

struct Reader {
  ArrayRef<char> bytes;
  Elf64_Ehdr header;
  std::vector<Elf64_Shdr> sections;

  template <typename T> bool read(uint64_t offset, T &value) const {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
      return false;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return true;
  }

  bool open() {
    if (!read(0, header) || std::memcmp(header.e_ident, ElfMagic, 4) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0)
      return false;
    sections.resize(header.e_shnum);
    for (size_t i = 0; i < sections.size(); ++i)
      if (!read(header.e_shoff + i * sizeof(Elf64_Shdr), sections[i]))
        return false;
    return header.e_shstrndx < sections.size();
  }

  std::string text(const Elf64_Shdr &table, uint64_t at) const {
    uint64_t offset = table.sh_offset + at;
    if (at >= table.sh_size || offset >= bytes.size())
      return "";
    const char *start = bytes.data() + offset;
    return std::string(start, strnlen(start, bytes.size() - offset));
  }

  /// Calls `hear` with each symbol's file offset, entry and name, until `hear`
  /// returns false.
  void forEachSymbol(
      function_ref<bool(uint64_t, const Elf64_Sym &, StringRef)> hear) const {
    for (const Elf64_Shdr &section : sections) {
      if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size())
        continue;
      const Elf64_Shdr &names = sections[section.sh_link];
      Elf64_Sym symbol;
      for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size;
           at += sizeof(Elf64_Sym))
        if (read(section.sh_offset + at, symbol) &&
            !hear(section.sh_offset + at, symbol, text(names, symbol.st_name)))
          return;
    }
  }

  /// The file offset of the symbol table entry of `name`, or 0.
  uint64_t findSymbol(const std::string &name, Elf64_Sym &symbol) const {
    uint64_t found = 0;
    forEachSymbol(
        [&](uint64_t place, const Elf64_Sym &entry, StringRef called) {
          if (called != name)
            return true;
          symbol = entry;
          found = place;
          return false;
        });
    return found;
  }
};

void append(SmallVectorImpl<char> &to, const void *from, size_t bytes) {
  const char *start = static_cast<const char *>(from);
  to.append(start, start + bytes);
}

void padTo(SmallVectorImpl<char> &to, uint64_t offsetOfStart, uint64_t align) {
  while ((offsetOfStart + to.size()) % align != 0)
    to.push_back(0);
}
} // namespace

std::string makeRoomForWeights(ArrayRef<char> object, const std::string &symbol,
                               uint64_t weightBytes, bool linkedByUs,
                               SplitObject &split) {
  Reader reader{object, {}, {}};
  if (!reader.open())
    return "the object is no ELF file";
  Elf64_Sym entry;
  uint64_t place = reader.findSymbol(symbol, entry);
  if (!place || entry.st_shndx != SHN_UNDEF)
    return "the object does not ask for its weights";
  if (reader.sections.size() + 1 >= SHN_LORESERVE)
    return "the object has too many sections";

  split.head.assign(object.begin(), object.end());
  padTo(split.head, 0, TENON_WEIGHT_ALIGNMENT);
  Elf64_Shdr weights = {};
  weights.sh_type = SHT_PROGBITS;
  weights.sh_flags = SHF_ALLOC;
  if (weightBytes >= largeBytes)
    weights.sh_flags |= SHF_X86_64_LARGE;
  weights.sh_offset = split.head.size();
  weights.sh_size = weightBytes;
  weights.sh_addralign = TENON_WEIGHT_ALIGNMENT;

  // Behind the blob come the new section names, then the new section headers.
  uint64_t behind = split.head.size() + weightBytes;
  Elf64_Shdr &names = reader.sections[reader.header.e_shstrndx];
  if (names.sh_offset > object.size() ||
      names.sh_size > object.size() - names.sh_offset)
    return "the object's names lie outside it";
  append(split.tail, object.data() + names.sh_offset, names.sh_size);
  weights.sh_name = split.tail.size();
  std::string name = !linkedByUs && weightBytes >= largeBytes
                         ? ".lrodata.tenon"
                         : TENON_WEIGHTS_SECTION;
  append(split.tail, name.c_str(), name.size() + 1);
  names.sh_offset = behind;
  names.sh_size = split.tail.size();
  padTo(split.tail, behind, 8);
  reader.header.e_shoff = behind + split.tail.size();
  reader.sections.push_back(weights);
  reader.header.e_shnum = reader.sections.size();
  for (const Elf64_Shdr &section : reader.sections)
    append(split.tail, &section, sizeof section);

  entry.setBindingAndType(STB_GLOBAL, STT_OBJECT);
  entry.st_other = STV_HIDDEN;
  entry.st_shndx = reader.sections.size() - 1;
  entry.st_value = 0;
  entry.st_size = weightBytes;
  std::memcpy(split.head.data(), &reader.header, sizeof reader.header);
  std::memcpy(split.head.data() + place, &entry, sizeof entry);
  return "";
}

uint64_t placeInData(ArrayRef<char> object, const std::string &symbol,
                     uint64_t offset) {
  Reader reader{object, {}, {}};
  Elf64_Sym entry;
  if (!reader.open() || !reader.findSymbol(symbol, entry) ||
      entry.st_shndx == SHN_UNDEF || entry.st_shndx >= reader.sections.size())
    return 0;
  uint64_t place =
      reader.sections[entry.st_shndx].sh_offset + entry.st_value + offset;
  return place + 8 <= object.size() ? place : 0;
}

uint64_t countCode(ArrayRef<char> object, StringRef prefix) {
  Reader reader{object, {}, {}};
  uint64_t bytes = 0;
  if (reader.open())
    reader.forEachSymbol(
        [&](uint64_t, const Elf64_Sym &symbol, StringRef name) {
          if (symbol.getType() == STT_FUNC && name.starts_with(prefix))
            bytes += symbol.st_size;
          return true;
        });
  return bytes;
}

} // namespace tenon
