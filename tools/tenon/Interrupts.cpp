// Handles signals. The handler stops the working thread and writes one byte to
// a pipe. A watcher thread reads it and may do what a handler may not: remove
// directories and find children. Nothing new is created meanwhile. Crashes are
// handled in the signal handler, with async-signal-safe calls.
#include "tools/tenon/Interrupts.h"

#include "compiler/files/BlockedSignals.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenon::cli {

static int signalPipe[2] = {-1, -1};
static std::mutex directoriesMutex;
static std::set<std::string> &directories() {
  static auto *set = new std::set<std::string>();
  return *set;
}

// Texts of a crash report, prepared because a crash handler cannot allocate.
static char reproducerText[16384];
static char reproducerPath[PATH_MAX];
static char currentStage[64] = "start";

static char outputFolder[PATH_MAX];

// What the next interrupt does instead of ending the process. The handler
// tells the watcher with a byte that is no signal.
constexpr char actionByte = 0;
static std::atomic<bool> actionWaits{false};
static std::mutex actionMutex;
static std::function<void()> &interruptAction() {
  static auto *action = new std::function<void()>();
  return *action;
}

/// Returns only if an action replaces the end of the process. Runs on the main
/// thread, because all others block these signals.
static void onSignal(int number) {
  char byte = static_cast<char>(number);
  if (number == SIGINT && actionWaits.exchange(false)) {
    int before = errno;
    byte = actionByte;
    [[maybe_unused]] ssize_t told = write(signalPipe[1], &byte, 1);
    errno = before;
    return;
  }
  [[maybe_unused]] ssize_t written = write(signalPipe[1], &byte, 1);
  for (;;)
    pause();
}

/// Terminates the processes that the main thread has started, each with its
/// process group, and waits a short time for them. The main thread has stopped
/// and may hold the lock of a stream, so no stream is used.
static void endChildren() {
  char name[64], text[4096];
  snprintf(name, sizeof name, "/proc/self/task/%d/children", getpid());
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
  close(fd);
  text[size > 0 ? size : 0] = 0;
  char *end = text;
  for (long child; (child = strtol(end, &end, 10)) > 0;) {
    auto id = static_cast<pid_t>(child);
    kill(-id, SIGTERM);
    for (int i = 0; i < 2000 && waitpid(id, nullptr, WNOHANG) == 0; ++i)
      usleep(1000);
    // Its descendants cannot be waited for, and stay visible for a moment after
    // their end: poll for a limited time.
    for (int i = 0; i < 200 && kill(-id, 0) == 0; ++i)
      usleep(1000);
  }
}

/// Removes files that the terminated linkers may have left.
static void removeParts() {
  std::string start = ".tenon-" + std::to_string(getpid()) + "-";
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(outputFolder, error), end;
       it != end && !error; it.increment(error))
    if (llvm::sys::path::filename(it->path()).starts_with(start))
      unlink(it->path().c_str());
}

static void removeTemporaries() {
  std::lock_guard<std::mutex> lock(directoriesMutex);
  for (const std::string &path : directories())
    llvm::sys::fs::remove_directories(path, /*IgnoreErrors=*/true);
}

static int exitCode; ///< set by an interrupt

// The message of `endProcess`, which raises SIGALRM; null for other signals.
static const char *endMessage = nullptr;
static Status endStatus = Status::Cancelled;
static pthread_t mainThread;

static void writeAll(int fd, const char *text) {
  size_t left = strlen(text);
  while (left > 0) {
    ssize_t n = write(fd, text, left);
    if (n <= 0)
      return;
    text += n;
    left -= n;
  }
}

/// The next signal that ends the process. Calls the action of an interrupt.
static char awaitSignal() {
  for (;;) {
    char number = actionByte;
    if (read(signalPipe[0], &number, 1) < 0 && errno == EINTR)
      continue;
    if (number != actionByte)
      return number;
    std::lock_guard<std::mutex> lock(actionMutex);
    if (interruptAction())
      interruptAction()();
  }
}

static void watch() {
  char number = awaitSignal();
  // A used-up CPU limit counts as a deadline. Other signals give the exit code
  // that shells use.
  exitCode =
      number == SIGXCPU ? static_cast<int>(Status::Cancelled) : 128 + number;
  if (number == SIGALRM && endMessage) {
    exitCode = static_cast<int>(endStatus);
    writeAll(STDERR_FILENO, endMessage);
  }
  // The main thread may hold a lock that the cleanup needs: exit after 5
  // seconds in any case.
  signal(SIGALRM, [](int) { _exit(exitCode); });
  alarm(5);
  endChildren();
  llvm::sys::RunInterruptHandlers();
  removeParts();
  removeTemporaries();
  _exit(exitCode);
}

void endProcess(Status status, const std::string &message) {
  endStatus = status;
  endMessage = message.c_str();
  // The handler stops the main thread before anything is removed.
  pthread_kill(mainThread, SIGALRM);
  for (;;)
    pause();
}

static bool writeReproducerFile() {
  if (!reproducerPath[0])
    return false;
  int fd = open(reproducerPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return false;
  writeAll(fd, reproducerText);
  writeAll(fd, "# stage: ");
  writeAll(fd, currentStage);
  writeAll(fd, "\n");
  close(fd);
  return true;
}

/// Lets only one thread report, because a fault in a pass may crash several at
/// once. The others wait for the end of the process. A second fault while
/// reporting ends the process.
static void becomeReporter() {
  static std::atomic<pid_t> reporter{0};
  pid_t self = gettid(), first = 0;
  if (reporter.compare_exchange_strong(first, self))
    return;
  while (first != self)
    pause();
  _exit(static_cast<int>(Status::Internal));
}

static void reportCrash(const char *what) {
  writeAll(STDERR_FILENO, "tenon: error: internal error in stage ");
  writeAll(STDERR_FILENO, currentStage);
  writeAll(STDERR_FILENO, ": ");
  writeAll(STDERR_FILENO, what);
  writeAll(STDERR_FILENO, "\n");
  if (writeReproducerFile()) {
    writeAll(STDERR_FILENO, "  help: this is a bug of tenon; please report it "
                            "with the model and ");
    writeAll(STDERR_FILENO, reproducerPath);
    writeAll(STDERR_FILENO, "\n");
  }
}

/// Removes everything that the process has created and ends it.
[[noreturn]] static void leave(Status status) {
  llvm::sys::RunInterruptHandlers();
  removeTemporaries();
  _exit(static_cast<int>(status));
}

static void onCrash(int number, siginfo_t *info, void *) {
  becomeReporter();
  // Model files are mapped while they are checked. This signal means that a
  // file has become shorter since.
  if (number == SIGBUS && info->si_code == BUS_ADRERR) {
    writeAll(STDERR_FILENO, "tenon: error: a file became shorter while it was "
                            "read\n");
    leave(Status::Io);
  }
  const char *what = "crashed";
  if (number == SIGSEGV || number == SIGBUS)
    what = "invalid memory access";
  else if (number == SIGABRT)
    what = "aborted";
  else if (number == SIGFPE)
    what = "arithmetic fault";
  else if (number == SIGILL)
    what = "illegal instruction";
  reportCrash(what);
  _exit(static_cast<int>(Status::Internal));
}

static void onFatalError(void *, const char *reason, bool) {
  becomeReporter();
  // LLVM treats a failed write as a fatal error; report it as an I/O error.
  if (strncmp(reason, "IO failure", 10) == 0) {
    writeAll(STDERR_FILENO, "tenon: error: ");
    writeAll(STDERR_FILENO, reason);
    writeAll(STDERR_FILENO, "\n");
    leave(Status::Io);
  }
  reportCrash(reason);
  leave(Status::Internal);
}

static void outOfMemory() {
  becomeReporter();
  writeAll(STDERR_FILENO, "tenon: error: out of memory\n");
  leave(Status::Limit);
}

static void onBadAlloc(void *, const char *, bool) { outOfMemory(); }

/// `text` in single quotes for a shell.
static std::string quoted(const std::string &text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

static void prepareReproducer(int argc, char **argv) {
  char directory[PATH_MAX] = "?";
  if (!getcwd(directory, sizeof directory))
    strcpy(directory, "?");
  std::string text = "#!/bin/sh\n# tenon " TENON_VERSION
                     ": the command that failed\ncd " +
                     quoted(directory) + " &&\nexec";
  for (int i = 0; i < argc; ++i)
    text += " " + quoted(argv[i]);
  text += "\n";
  snprintf(reproducerText, sizeof reproducerText, "%s", text.c_str());
  const char *root = getenv("TMPDIR");
  snprintf(reproducerPath, sizeof reproducerPath, "%s/tenon-crash-%d.sh",
           root && *root ? root : "/tmp", static_cast<int>(getpid()));
}

void holdStandardStreams() {
  // Opened in this order, each file gets the missing descriptor. The access
  // mode is reversed, so that reads and writes fail as on a closed stream.
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
      open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void installInterrupts(int argc, char **argv) {
  prepareReproducer(argc, argv);
  mainThread = pthread_self();
  if (pipe2(signalPipe, O_CLOEXEC | O_NONBLOCK) != 0)
    return;
  // Reads block; only writes by the handler must not.
  fcntl(signalPipe[0], F_SETFL, 0);
  // LLVM registers its handlers on first use. Force that now, so that it cannot
  // replace ours later.
  llvm::sys::SetInterruptFunction(nullptr);

  struct sigaction action = {};
  action.sa_handler = onSignal;
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGALRM})
    sigaction(number, &action, nullptr);

  // A write beyond the file size limit shall fail and not kill the process.
  signal(SIGXFSZ, SIG_IGN);

  static char alternateStack[65536];
  stack_t stack = {};
  stack.ss_sp = alternateStack;
  stack.ss_size = sizeof alternateStack;
  sigaltstack(&stack, nullptr);
  struct sigaction crash = {};
  crash.sa_sigaction = onCrash;
  crash.sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO;
  for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL})
    sigaction(number, &crash, nullptr);

  llvm::install_fatal_error_handler(onFatalError);
  llvm::install_bad_alloc_error_handler(onBadAlloc);
  std::set_new_handler(outOfMemory);
  BlockedSignals blocked; // the watcher inherits the signal mask
  try {
    std::thread(watch).detach();
  } catch (...) {
    // Without the watcher, nothing can clean up: restore the default actions.
    for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGALRM})
      signal(number, SIG_DFL);
  }
}

OnInterrupt::OnInterrupt(std::function<void()> action) {
  BlockedSignals blocked;
  std::lock_guard<std::mutex> lock(actionMutex);
  interruptAction() = std::move(action);
  actionWaits = true;
}

OnInterrupt::~OnInterrupt() {
  actionWaits = false;
  BlockedSignals blocked;
  std::lock_guard<std::mutex> lock(actionMutex);
  interruptAction() = nullptr;
}

void setCurrentStage(const std::string &stage) {
  snprintf(currentStage, sizeof currentStage, "%s", stage.c_str());
}

void setOutputFolder(const std::string &folder) {
  snprintf(outputFolder, sizeof outputFolder, "%s", folder.c_str());
}

std::string writeReproducer() {
  return writeReproducerFile() ? reproducerPath : "";
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path.empty())
    return;
  llvm::sys::fs::remove_directories(path, /*IgnoreErrors=*/true);
  BlockedSignals blocked;
  std::lock_guard<std::mutex> lock(directoriesMutex);
  directories().erase(path);
}

std::string TemporaryDirectory::create(const std::string &parent) {
  const char *root = getenv("TMPDIR");
  std::string pattern = parent;
  if (pattern.empty())
    pattern = root && *root ? root : "/tmp";
  pattern += "/tenon-XXXXXX";
  // An interrupt finds the directory either in the list or not created at all.
  BlockedSignals blocked;
  std::lock_guard<std::mutex> lock(directoriesMutex);
  if (!mkdtemp(pattern.data()))
    return "cannot make a directory '" + pattern + "': " + strerror(errno);
  path = pattern;
  directories().insert(path);
  return "";
}

} // namespace tenon::cli
