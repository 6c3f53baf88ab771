// Lines of a name and its values. A value is escaped, so that no line is the
// beginning of two.
#include "compiler/Fingerprint.h"

#include "compiler/artifact/ModelFacts.h"
#include "compiler/codegen/Target.h"
#include "compiler/formats/ModelLoader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cerrno>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon {
namespace {
using Hasher = llvm::BLAKE3;

std::string digits(Hasher &hasher) {
  return llvm::toHex(hasher.final<32>(), /*LowerCase=*/true);
}

FileState stateOf(const std::string &path, const struct stat &info) {
  FileState state;
  state.path = path;
  state.device = info.st_dev;
  state.inode = info.st_ino;
  state.bytes = uint64_t(info.st_size);
  state.changed =
      int64_t(info.st_ctim.tv_sec) * 1000000000 + info.st_ctim.tv_nsec;
  return state;
}

bool isSameFile(const FileState &a, const FileState &b) {
  return a.device == b.device && a.inode == b.inode && a.bytes == b.bytes &&
         a.changed == b.changed;
}

/// The build id among the ELF notes of a loaded library, in hex.
std::string buildIdOf(const dl_phdr_info &library) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = library.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE)
      continue;
    auto *at =
        reinterpret_cast<const char *>(library.dlpi_addr + segment.p_vaddr);
    const char *end = at + segment.p_memsz;
    while (size_t(end - at) >= sizeof(ElfW(Nhdr))) {
      auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
      const char *name = at + sizeof *note;
      const char *content = name + llvm::alignTo(note->n_namesz, 4);
      if (note->n_type == NT_GNU_BUILD_ID &&
          llvm::StringRef(name, note->n_namesz) ==
              llvm::StringRef(ELF_NOTE_GNU "\0", 4))
        return llvm::toHex(llvm::StringRef(content, note->n_descsz), true);
      at = content + llvm::alignTo(note->n_descsz, 4);
    }
  }
  return "";
}

/// The builds of what makes code: this program, MLIR and LLVM. Empty where one
/// of them does not tell.
std::string buildIds() {
  std::string ids;
  auto add = [](dl_phdr_info *library, size_t, void *argument) {
    llvm::StringRef name = llvm::sys::path::filename(library->dlpi_name);
    if (!name.empty() && !name.starts_with("libLLVM") &&
        !name.starts_with("libMLIR"))
      return 0;
    std::string id = buildIdOf(*library);
    auto &all = *static_cast<std::string *>(argument);
    all += id.empty() ? "?" : " " + id;
    return 0;
  };
  dl_iterate_phdr(add, &ids);
  return ids.find('?') == std::string::npos ? ids : "";
}

class Lines {
public:
  void add(const char *name, const std::vector<std::string> &values) {
    text += name;
    for (const std::string &value : values) {
      text += " \"";
      for (unsigned char c : value)
        text += c > ' ' && c < 127 && c != '"' && c != '\\'
                    ? std::string(1, char(c))
                    : "\\" + llvm::utohexstr(c, true, 2);
      text += '"';
    }
    text += '\n';
  }
  void add(const char *name, const std::string &value) {
    add(name, std::vector{value});
  }
  void add(const char *name, int64_t value) {
    add(name, std::to_string(value));
  }

  std::string text;
};

/// A new field of CompileOptions does not compile here until it is told, or
/// listed among those that change no byte.
void addOptions(Lines &lines, const CompileOptions &options) {
  // The places of files are not told, nor what chooseTarget has resolved, nor
  // `jobs`, `verifyEachPass`, `remarks` and `countDecisions`, on which the
  // files do not depend.
  [[maybe_unused]] const auto &[input, tensorflow, checkpoint, output, emit,
                                header, dependencyFile, name, triple, cpu,
                                versions, features, devices, versionsForCpus,
                                cubins, optLevel, dims, shapes, variants, pads,
                                weights, standalone, foldBatchNorm,
                                weightFormat, matmulPrecision,
                                exposeIntermediates, jobs, verifyEachPass,
                                remarks, countDecisions, stopAfter, dumpDir,
                                externalWeightBytes] = options;
  const auto &[entries, allSignatures, tag, feeds, fetches] = tensorflow;
  const auto &[cache, compat] = checkpoint;
  lines.add("symbol", name.empty() ? symbolStem(options) : name);
  for (const EntryOption &entry : entries)
    lines.add(entry.isSignature ? "signature" : "function", entry.name);
  lines.add("all-signatures", int64_t(allSignatures));
  lines.add("tag", tag);
  lines.add("feeds", feeds);
  lines.add("fetches", fetches);
  lines.add("emit", int64_t(emit));
  for (const DimOption &dim : dims)
    lines.add("dim", {dim.name, std::to_string(dim.min),
                      std::to_string(dim.max), std::to_string(dim.multiple)});
  for (const ShapeOption &shape : shapes) {
    std::vector<std::string> values = {shape.input};
    for (std::optional<int64_t> extent : shape.dims)
      values.push_back(extent ? std::to_string(*extent) : "?");
    lines.add("shape", values);
  }
  for (const PadOption &pad : pads)
    lines.add("pad", {pad.name, std::to_string(pad.multiple)});
  for (const VariantOption &variant : variants) {
    std::vector<std::string> values;
    for (const auto &[dim, size] : variant.sizes) {
      values.push_back(dim);
      values.push_back(std::to_string(size));
    }
    lines.add("variant", values);
  }
  lines.add("devices", devices);
  lines.add("versions-for-cpus", int64_t(versionsForCpus));
  lines.add("cubins", int64_t(cubins));
  lines.add("weights", int64_t(weights));
  lines.add("standalone", int64_t(standalone));
  lines.add("fold-batch-norm", int64_t(foldBatchNorm));
  lines.add("weight-format", int64_t(weightFormat));
  lines.add("cache-format", int64_t(cache));
  lines.add("gen-compat", int64_t(compat));
  lines.add("matmul-precision", int64_t(matmulPrecision));
  lines.add("expose-intermediates", int64_t(exposeIntermediates));
  lines.add("external-weights", externalWeightBytes);
}
} // namespace

std::string hashText(const std::string &text) {
  Hasher hasher;
  hasher.update(text);
  return digits(hasher);
}

std::optional<FileState> hashFile(const std::string &path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  struct stat before, after;
  if (fd < 0)
    return std::nullopt;
  Hasher hasher;
  std::vector<char> buffer(1 << 20);
  bool regular = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
  ssize_t n = regular ? 1 : -1;
  while (n > 0 || (n < 0 && regular && errno == EINTR)) {
    n = read(fd, buffer.data(), buffer.size());
    if (n > 0)
      hasher.update(llvm::StringRef(buffer.data(), size_t(n)));
  }
  bool whole = n == 0 && fstat(fd, &after) == 0;
  close(fd);
  if (!whole || !isSameFile(stateOf(path, before), stateOf(path, after)))
    return std::nullopt;
  FileState state = stateOf(path, before);
  state.hash = digits(hasher);
  return state;
}

bool Fingerprint::isStillTrue(const std::vector<std::string> &filesRead) const {
  for (const FileState &file : files) {
    struct stat info;
    if (stat(file.path.c_str(), &info) != 0 ||
        !isSameFile(file, stateOf(file.path, info)))
      return false;
  }
  return std::all_of(
      filesRead.begin(), filesRead.end(), [&](const std::string &path) {
        struct stat info;
        return stat(path.c_str(), &info) == 0 &&
               std::any_of(files.begin(), files.end(),
                           [&](const FileState &file) {
                             return isSameFile(file, stateOf(path, info));
                           });
      });
}

std::optional<Fingerprint> takeFingerprint(const CompileOptions &options) {
  DiagnosticHandler unheard = [](const Diagnostic &) {};
  Status status = Status::Success;
  std::vector<TargetChoice> targets = chooseTargets(options, unheard, status);
  std::string builds = buildIds();
  if (targets.empty() || builds.empty())
    return std::nullopt;
  Lines lines;
  llvm::StringRef input = llvm::StringRef(options.input).rtrim('/');
  lines.add("model", llvm::sys::path::filename(input).str());
  lines.add("target", describe(targets));
  for (const TargetChoice &target : targets)
    lines.add("cpu", {target.triple, target.cpu, target.features,
                      std::to_string(target.vectorBytes),
                      std::to_string(target.cpuFeatures),
                      std::to_string(target.optLevel)});
  lines.add("compiler", builds);
  addOptions(lines, options);
  Fingerprint result;
  std::vector<std::string> paths = listModelFiles(options);
  if (paths.empty())
    return std::nullopt;
  std::string folder = llvm::sys::path::parent_path(paths.front()).str();
  for (const std::string &path : paths) {
    std::optional<FileState> file = hashFile(path);
    if (!file)
      return std::nullopt;
    llvm::StringRef name = path;
    name.consume_front(folder);
    lines.add("file",
              {name.ltrim('/').str(), std::to_string(file->bytes), file->hash});
    result.files.push_back(std::move(*file));
  }
  result.text = std::move(lines.text);
  return result;
}

} // namespace tenon
