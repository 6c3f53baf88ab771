// Links with LLD. A model needs no start files and at most two libraries, so
// LLD is called directly with the libraries' files: no compiler driver and no
// development package is needed. A program needs the start files of C, which
// the compiler driver knows.
#include "compiler/artifact/Linker.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

struct Outcome {
  int code = -1;  ///< exit status, or -1
  int error = 0;  ///< errno if it could not be started
  int signal = 0; ///< the signal that ended it
  std::string said;
};

/// Runs a program without a shell and returns its stdout and stderr. The
/// program leads a process group, so that ending the group also ends its
/// children.
Outcome runTool(const std::vector<std::string> &arguments) {
  Outcome outcome;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    outcome.error = errno;
    return outcome;
  }
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  outcome.error =
      posix_spawn(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (outcome.error == 0) {
    char buffer[4096];
    for (;;) {
      ssize_t n = read(ends[0], buffer, sizeof buffer);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        break;
      if (outcome.said.size() < 65536)
        outcome.said.append(buffer, n);
    }
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(state))
      outcome.code = WEXITSTATUS(state);
    else if (WIFSIGNALED(state))
      outcome.signal = WTERMSIG(state);
  }
  close(ends[0]);
  return outcome;
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

bool runLinker(const LinkJob &job, const std::vector<std::string> &arguments,
               const DiagnosticHandler &report, Status &status) {
  Outcome outcome = runTool(arguments);
  removeLeftovers(job.output);
  if (outcome.code == 0)
    return true;
  if (outcome.error != 0)
    return fail(report, status, Status::Failure,
                "cannot start '" + arguments[0] +
                    "': " + strerror(outcome.error));
  // LLD maps its output without reserving disk space, so a full disk appears as
  // a bus error. Its crash report would not help the user.
  llvm::StringRef said(outcome.said);
  if (outcome.signal == SIGXFSZ || outcome.signal == SIGBUS ||
      said.contains("Bus error"))
    return fail(report, status, Status::Io,
                std::string("the linker cannot write its file: ") +
                    strerror(outcome.signal == SIGXFSZ ? EFBIG : ENOSPC));
  std::vector<std::string> details;
  llvm::SmallVector<llvm::StringRef> lines;
  said.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    if (details.size() < 10)
      details.push_back(line.str());
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
  std::string linker = findTool("ld.lld");
  if (linker.empty())
    return fail(report, status, Status::Failure,
                "cannot find the linker ld.lld", {},
                "install lld-" + std::to_string(LLVM_VERSION_MAJOR) +
                    ", or pass -c and link the object yourself");
  std::vector<std::string> arguments = {linker,
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
  return runLinker(job, arguments, report, status);
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
  return runLinker(job, arguments, report, status);
}

} // namespace tenon
