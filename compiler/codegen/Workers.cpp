// A thread that waits for a group runs only tasks of that group: a pass that
// waits inside a task must not begin another function in the middle of its own.
#include "compiler/codegen/Workers.h"

#include "compiler/files/BlockedSignals.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>

namespace tenon {

/// The most threads. A pass manager copies its passes for each of them.
static constexpr int maxJobs = 1024;

Workers::Workers(int jobs)
    : most(jobs > 0 ? unsigned(std::min(jobs, maxJobs))
                    : std::max(1u, std::thread::hardware_concurrency())) {}

void Workers::start() {
  if (started.size() + 1 >= most)
    return;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return;
  // Code generation recurses, so give the thread the stack of a main thread.
  pthread_attr_setstacksize(&attributes, size_t(8) << 20);
  auto *entry = +[](void *workers) -> void * {
    // The handler that reports a stack overflow needs another stack. This array
    // is in the outermost frame, beyond the reach of the overflow.
    char ofHandlers[size_t(64) << 10];
    stack_t stack = {};
    stack.ss_sp = ofHandlers;
    stack.ss_size = sizeof ofHandlers;
    sigaltstack(&stack, nullptr);
    static_cast<Workers *>(workers)->work();
    return nullptr;
  };
  // Block signals in the new thread: only the main thread knows which files are
  // half written.
  BlockedSignals blocked;
  pthread_t thread;
  if (pthread_create(&thread, &attributes, entry, this) == 0)
    started.push_back(thread);
  pthread_attr_destroy(&attributes);
}

Workers::~Workers() {
  wait();
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  hasTask.notify_all();
  for (pthread_t thread : started)
    pthread_join(thread, nullptr);
}

void Workers::forEach(unsigned count, llvm::function_ref<void(unsigned)> work) {
  std::atomic<unsigned> next{0};
  auto run = [&] {
    for (unsigned index; (index = next++) < count;)
      work(index);
  };
  llvm::ThreadPoolTaskGroup group(*this);
  for (unsigned i = 1; i < std::min(getMaxConcurrency(), count); ++i)
    group.async(run);
  run();
}

void Workers::wait() {
  std::unique_lock lock(mutex);
  while (!unfinished.empty())
    if (!runOne(lock, nullptr))
      finished.wait(lock);
}

void Workers::wait(llvm::ThreadPoolTaskGroup &group) {
  std::unique_lock lock(mutex);
  while (unfinished.contains(&group))
    if (!runOne(lock, &group))
      finished.wait(lock);
}

void Workers::asyncEnqueue(llvm::unique_function<void()> run, Group group) {
  std::lock_guard lock(mutex);
  waiting.push_back({std::move(run), group});
  ++unfinished[group];
  if (++tasks > started.size())
    start();
  hasTask.notify_one();
}

void Workers::work() {
  std::unique_lock lock(mutex);
  while (!ends)
    if (!runOne(lock, nullptr))
      hasTask.wait(lock);
}

bool Workers::runOne(std::unique_lock<std::mutex> &lock, Group group) {
  auto found = llvm::find_if(
      waiting, [&](const Task &task) { return !group || task.group == group; });
  if (found == waiting.end())
    return false;
  Task task = std::move(*found);
  waiting.erase(found);
  lock.unlock();
  task.run();
  task.run = nullptr;
  lock.lock();
  --tasks;
  if (--unfinished[task.group] == 0) {
    unfinished.erase(task.group);
    finished.notify_all();
  }
  return true;
}

} // namespace tenon
