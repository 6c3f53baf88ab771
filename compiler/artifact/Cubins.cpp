// Texts and cubins are files in memory: nothing is left on disk if the
// assembler is ended. A cubin depends on the PTX, the architecture and the
// version of the assembler alone.
#include "compiler/artifact/Cubins.h"

#include "compiler/artifact/ToolProcess.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon {
namespace {
bool fail(const DiagnosticHandler &report, Status &status, std::string text,
          std::vector<std::string> details = {}, std::string help = "") {
  Diagnostic diagnostic;
  diagnostic.text = std::move(text);
  diagnostic.details = std::move(details);
  diagnostic.help = std::move(help);
  diagnostic.status = status = Status::Failure;
  report(diagnostic);
  return false;
}

/// A file in memory.
class MemoryFile {
public:
  MemoryFile() : fd(memfd_create("tenon", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (fd >= 0)
      close(fd);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  /// False with errno set.
  bool write(llvm::StringRef bytes) {
    for (size_t at = 0; at < bytes.size();) {
      ssize_t n = pwrite(fd, bytes.data() + at, bytes.size() - at, off_t(at));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return false;
      at += size_t(n);
    }
    return fd >= 0;
  }

  std::string read() const {
    struct stat state;
    if (fstat(fd, &state) != 0)
      return "";
    std::string bytes(size_t(state.st_size), '\0');
    for (size_t at = 0; at < bytes.size();) {
      ssize_t n = pread(fd, bytes.data() + at, bytes.size() - at, off_t(at));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return "";
      at += size_t(n);
    }
    return bytes;
  }

  const int fd;
};

/// One image on its way through the assembler.
struct Assembly {
  Assembly(const std::string &assembler, const DeviceImage &image) {
    if (!text.write(image.text) || cubin.fd < 0) {
      error = errno;
      return;
    }
    std::string output =
        "/proc/self/fd/" + std::to_string(ToolProcess::outputDescriptor);
    process = std::make_unique<ToolProcess>(
        std::vector<std::string>{assembler, "-arch=" + image.architecture.name,
                                 "-o", output, "/proc/self/fd/0"},
        ToolProcess::Files{text.fd, cubin.fd});
  }

  MemoryFile text, cubin;
  int error = 0;
  std::unique_ptr<ToolProcess> process;
};

/// Waits for the assembler and takes its cubin.
bool finish(Assembly &assembly, DeviceImage &image,
            const DiagnosticHandler &report, Status &status) {
  if (assembly.error)
    return fail(report, status,
                std::string("cannot make a file in memory: ") +
                    strerror(assembly.error));
  const std::string &architecture = image.architecture.name;
  ToolOutcome outcome = assembly.process->finish();
  if (outcome.error != 0)
    return fail(report, status,
                std::string("cannot start ptxas: ") + strerror(outcome.error));
  if (outcome.signal != 0)
    return fail(report, status,
                "ptxas was ended by signal " + std::to_string(outcome.signal) +
                    " while it assembled the kernels for " + architecture,
                outcome.firstLines());
  if (outcome.code != 0)
    return fail(report, status, "ptxas refused the kernels for " + architecture,
                outcome.firstLines(),
                "install a newer CUDA toolkit, or leave out --cubins: the "
                "driver compiles PTX");
  image.cubin = assembly.cubin.read();
  if (llvm::StringRef(image.cubin).starts_with("\177ELF"))
    return true;
  return fail(report, status, "ptxas wrote no cubin for " + architecture,
              outcome.firstLines());
}

std::string findAssembler() {
  llvm::ErrorOr<std::string> found = llvm::sys::findProgramByName("ptxas");
  return found ? *found : "";
}
} // namespace

bool checkAssembler(const DiagnosticHandler &report, Status &status) {
  return !findAssembler().empty() ||
         fail(report, status, "cannot find ptxas, which makes cubins", {},
              "put the folder of ptxas, such as /usr/local/cuda/bin, on PATH, "
              "or leave out --cubins: the driver compiles PTX");
}

bool addCubins(DeviceCode &code, unsigned jobs, const DiagnosticHandler &report,
               Status &status) {
  if (!checkAssembler(report, status))
    return false;
  std::string assembler = findAssembler();
  std::vector<std::unique_ptr<Assembly>> begun;
  for (size_t i = 0; i < code.images.size(); ++i) {
    for (; begun.size() < std::min<size_t>(i + jobs, code.images.size());)
      begun.push_back(
          std::make_unique<Assembly>(assembler, code.images[begun.size()]));
    if (!finish(*begun[i], code.images[i], report, status))
      return false;
  }
  return true;
}

} // namespace tenon
