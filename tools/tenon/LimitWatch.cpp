// One thread checks the limits a hundred times a second. Messages are built in
// advance: when a limit is exceeded, the main thread may hold any lock.
#include "tools/tenon/LimitWatch.h"

#include "compiler/files/BlockedSignals.h"
#include "tools/tenon/Interrupts.h"
#include "tools/tenon/MemoryLeft.h"

#include <chrono>
#include <map>
#include <mutex>
#include <thread>

namespace tenon::cli {

using Clock = std::chrono::steady_clock;

namespace {
struct Deadline {
  Clock::time_point end;
  std::string message;
};

struct Watch {
  std::mutex mutex;
  bool started = false;
  int nextSlot = 0;
  std::map<int, Deadline> deadlines;
  uint64_t maxBytes = 0; ///< 0: no limit
  std::string memoryMessage;
};
} // namespace

/// The only instance. It is never destroyed, because its thread outlives main.
static Watch &watch() {
  static auto *watch = new Watch();
  return *watch;
}

/// The limit that is exceeded, with its message; Success if there is none.
static Status findExceeded(std::string &message) {
  std::lock_guard<std::mutex> lock(watch().mutex);
  for (const auto &[slot, deadline] : watch().deadlines)
    if (Clock::now() >= deadline.end) {
      message = deadline.message;
      return Status::Cancelled;
    }
  if (!watch().maxBytes || memoryInUse() <= watch().maxBytes)
    return Status::Success;
  message = watch().memoryMessage;
  return Status::Limit;
}

static void watchLimits() {
  while (true) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::string message;
    if (Status exceeded = findExceeded(message); exceeded != Status::Success)
      endProcess(exceeded, message);
  }
}

/// Starts the thread on the first call. Requires the mutex.
static void startWatching() {
  if (watch().started)
    return;
  watch().started = true;
  BlockedSignals blocked; // the thread inherits the signal mask
  std::thread(watchLimits).detach();
}

TimeLimit::TimeLimit(Talk &talk, const std::string &file,
                     const std::string &what, double seconds) {
  if (seconds <= 0)
    return;
  Diagnostic d;
  d.file = file;
  d.text = "past " + what + " of " + formatTime(seconds);
  d.status = Status::Cancelled;
  BlockedSignals blocked;
  std::lock_guard<std::mutex> lock(watch().mutex);
  slot = watch().nextSlot++;
  watch().deadlines[slot] = {Clock::now() +
                                 std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(seconds)),
                             talk.render(d)};
  startWatching();
}

TimeLimit::~TimeLimit() {
  BlockedSignals blocked;
  std::lock_guard<std::mutex> lock(watch().mutex);
  watch().deadlines.erase(slot);
}

void limitMemory(Talk &talk, const std::string &file, uint64_t bytes) {
  Diagnostic d;
  d.file = file;
  d.text = "it takes more than the " + formatBytes(bytes) +
           " of memory that --max-memory allows";
  d.help = "pass a larger --max-memory";
  d.status = Status::Limit;
  BlockedSignals blocked;
  std::lock_guard<std::mutex> lock(watch().mutex);
  watch().maxBytes = bytes;
  watch().memoryMessage = talk.render(d);
  startWatching();
}

} // namespace tenon::cli
