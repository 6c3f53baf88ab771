// One thread checks the limits a hundred times a second. Messages are built in
// advance: when a limit is exceeded, the main thread may hold any lock.
#include "tools/tenon/LimitWatch.h"

#include "compiler/files/SignalsHeld.h"
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
  uint64_t mostBytes = 0; ///< 0: no limit
  std::string memoryMessage;
};
} // namespace

/// The only instance. It is never destroyed, because its thread outlives main.
static Watch &watch() {
  static auto *watch = new Watch();
  return *watch;
}

/// The limit that is exceeded, with its message; Success if there is none.
static Status findMet(std::string &message) {
  std::lock_guard<std::mutex> lock(watch().mutex);
  for (const auto &[slot, deadline] : watch().deadlines)
    if (Clock::now() >= deadline.end) {
      message = deadline.message;
      return Status::Cancelled;
    }
  if (!watch().mostBytes || memoryInUse() <= watch().mostBytes)
    return Status::Success;
  message = watch().memoryMessage;
  return Status::Limit;
}

static void look() {
  while (true) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::string message;
    if (Status met = findMet(message); met != Status::Success)
      endProcess(met, message);
  }
}

/// Starts the thread on the first call. Requires the mutex.
static void startLooking() {
  if (watch().started)
    return;
  watch().started = true;
  SignalsHeld held; // the thread inherits the signal mask
  std::thread(look).detach();
}

TimeLimit::TimeLimit(Talk &talk, const std::string &file,
                     const std::string &what, double seconds) {
  if (seconds <= 0)
    return;
  Diagnostic d;
  d.file = file;
  d.text = "past " + what + " of " + formatTime(seconds);
  d.status = Status::Cancelled;
  SignalsHeld held;
  std::lock_guard<std::mutex> lock(watch().mutex);
  slot = watch().nextSlot++;
  watch().deadlines[slot] = {Clock::now() +
                                 std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(seconds)),
                             talk.render(d)};
  startLooking();
}

TimeLimit::~TimeLimit() {
  SignalsHeld held;
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
  SignalsHeld held;
  std::lock_guard<std::mutex> lock(watch().mutex);
  watch().mostBytes = bytes;
  watch().memoryMessage = talk.render(d);
  startLooking();
}

} // namespace tenon::cli
