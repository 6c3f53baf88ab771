// Links with LLD. A model needs no start files and one library, so LLD is
// called with the library's file: no compiler driver and no development package
// is needed. LLD is called as a library: to start it as a program takes several
// times as long as to link a small model. A program needs the start files of C,
// which the compiler driver knows.
#include "compiler/artifact/Linker.h"

#include "compiler/artifact/ToolProcess.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace tenon {
namespace {
bool fail(const DiagnosticHandler &report, Status &status, Status kind,
          std::string text, std::vector<std::string> details = {},
          std::string help = "") {
  Diagnostic diagnostic;
  diagnostic.text = std::move(text);
  diagnostic.details = std::move(details);
  diagnostic.help = std::move(help);
  diagnostic.status = status = kind;
  report(diagnostic);
  return false;
}

/// The path of an LLVM tool: searched near the loaded LLVM library, then in
/// PATH.
std::string findTool(llvm::StringRef name) {
  std::string version = std::to_string(LLVM_VERSION_MAJOR);
  std::string versioned = (name + "-" + version).str();
  llvm::SmallVector<std::string> folders;
  Dl_info info;
  llvm::SmallString<128> real;
  if (dladdr(reinterpret_cast<void *>(&llvm::sys::findProgramByName), &info) &&
      info.dli_fname && !llvm::sys::fs::real_path(info.dli_fname, real))
    // Either lib/ and bin/ are siblings, or lib/ARCHITECTURE/ and
    // lib/llvm-N/bin/.
    for (llvm::StringRef above = llvm::sys::path::parent_path(real);
         above.size() > 1; above = llvm::sys::path::parent_path(above))
      for (const std::string &place :
           {std::string("/bin"), "/llvm-" + version + "/bin",
            "/lib/llvm-" + version + "/bin"})
        folders.push_back(above.str() + place);
  for (const auto &folder : folders)
    for (llvm::StringRef each : {name, llvm::StringRef(versioned)})
      if (auto found =
              llvm::sys::findProgramByName(each, {llvm::StringRef(folder)}))
        return *found;
  for (llvm::StringRef each : {llvm::StringRef(versioned), name})
    if (auto found = llvm::sys::findProgramByName(each))
      return *found;
  return "";
}

/// The path of a system library, or an empty string.
std::string findLibrary(const char *name) {
  for (const char *folder :
       {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib64/",
        "/usr/lib64/", "/lib/", "/usr/lib/"}) {
    std::string path = std::string(folder) + name;
    if (llvm::sys::fs::exists(path))
      return path;
  }
  return "";
}

/// Removes temporary files of LLD. LLD writes to its output's name with a
/// suffix, and leaves that file behind on some paths and failures.
void removeLeftovers(const std::string &output) {
  std::string start = output + ".tmp";
  std::error_code error;
  for (llvm::sys::fs::directory_iterator
           it(llvm::sys::path::parent_path(output), error),
       end;
       it != end && !error; it.increment(error))
    if (llvm::StringRef(it->path()).starts_with(start))
      unlink(it->path().c_str());
}

/// Calls LLD in this process. Recovers from a signal, which LLD gets while it
/// writes to a full disk.
ToolOutcome callLinker(const std::vector<std::string> &arguments) {
  static std::mutex onlyOne; // LLD keeps its state in global variables
  std::lock_guard<std::mutex> lock(onlyOne);
  std::vector<const char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  ToolOutcome outcome;
  llvm::raw_string_ostream said(outcome.said);
  llvm::CrashRecoveryContext::Enable();
  int code =
      lld::lldMain(argv, said, said, {{lld::Gnu, &lld::elf::link}}).retCode;
  llvm::CrashRecoveryContext::Disable();
  if (llvm::CrashRecoveryContext::isCrash(code))
    outcome.signal = code - 128;
  else
    outcome.code = code;
  return outcome;
}

/// True if the linker did its work; otherwise reports what it said.
bool checkOutcome(const LinkJob &job, const ToolOutcome &outcome,
                  const DiagnosticHandler &report, Status &status) {
  removeLeftovers(job.output);
  if (outcome.code == 0)
    return true;
  // LLD maps its output without reserving disk space, so a full disk appears as
  // a bus error. Its crash report would not help the user.
  llvm::StringRef said(outcome.said);
  if (outcome.signal == SIGXFSZ || outcome.signal == SIGBUS ||
      said.contains("Bus error"))
    return fail(report, status, Status::Io,
                std::string("the linker cannot write its file: ") +
                    strerror(outcome.signal == SIGXFSZ ? EFBIG : ENOSPC));
  std::vector<std::string> details = outcome.firstLines();
  if (outcome.signal != 0)
    return fail(report, status, Status::Failure,
                "the linker was ended by signal " +
                    std::to_string(outcome.signal),
                details);
  // Our objects are correct, so these errors concern the output file.
  bool io =
      said.contains("No space left") || said.contains("cannot open output") ||
      said.contains("failed to write") || said.contains("File too large") ||
      said.contains("Disk quota") || said.contains("Input/output error");
  return fail(report, status, io ? Status::Io : Status::Internal,
              io ? "the linker cannot write its file" : "the linker failed",
              details);
}
} // namespace

bool linkShared(const LinkJob &job, const DiagnosticHandler &report,
                Status &status) {
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "--hash-style=gnu",
                                        "--build-id=none",
                                        "--no-undefined",
                                        "-z",
                                        "relro",
                                        "-z",
                                        "now",
                                        "-z",
                                        "noexecstack",
                                        "--threads=1",
                                        "-o",
                                        job.output};
  arguments.insert(arguments.end(), job.objects.begin(), job.objects.end());
  const char *library = "libc.so.6";
  std::string path = findLibrary(library);
  if (path.empty())
    return fail(report, status, Status::Failure,
                std::string("cannot find the system's ") + library, {},
                "pass -c and link the object yourself");
  arguments.push_back(path);
  return checkOutcome(job, callLinker(arguments), report, status);
}

bool linkExecutable(const LinkJob &job, const DiagnosticHandler &report,
                    Status &status) {
  std::string driver = findTool("clang");
  if (driver.empty())
    return fail(report, status, Status::Failure,
                "cannot find clang, which links programs", {},
                "install clang-" + std::to_string(LLVM_VERSION_MAJOR) +
                    ", or pass -c and link the object yourself");
  std::vector<std::string> arguments = {driver,
                                        "-fuse-ld=lld",
                                        "-pie",
                                        "-Wl,--build-id=none",
                                        "-Wl,--hash-style=gnu",
                                        "-Wl,--gc-sections",
                                        "-Wl,-z,relro,-z,now",
                                        "-Wl,--threads=1",
                                        "-o",
                                        job.output};
  arguments.insert(arguments.end(), job.objects.begin(), job.objects.end());
  for (const char *library : {"-lpthread", "-ldl"})
    arguments.push_back(library);
  ToolOutcome outcome = runTool(arguments);
  if (outcome.error != 0)
    return fail(report, status, Status::Failure,
                "cannot start '" + driver + "': " + strerror(outcome.error));
  return checkOutcome(job, outcome, report, status);
}

} // namespace tenon
