// Whoever waits for a group works on it, and on nothing else: a pass that waits
// inside a task must not begin the next function in the middle of its own.
#include "compiler/codegen/Workers.h"

#include "compiler/artifact/SignalsHeld.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace tenon {

Workers::Workers(unsigned threads) {
  if (threads == 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  // An interrupt is for the thread that knows which files are half written.
  SignalsHeld held;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return;
  // Code generation recurses: the stack a main thread has, not a thread's.
  pthread_attr_setstacksize(&attributes, size_t(8) << 20);
  auto *entry = +[](void *workers) -> void * {
    static_cast<Workers *>(workers)->work();
    return nullptr;
  };
  pthread_t thread;
  while (started.size() + 1 < threads &&
         pthread_create(&thread, &attributes, entry, this) == 0)
    started.push_back(thread);
  pthread_attr_destroy(&attributes);
}

Workers::~Workers() {
  wait();
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  changed.notify_all();
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
      changed.wait(lock);
}

void Workers::wait(llvm::ThreadPoolTaskGroup &group) {
  std::unique_lock lock(mutex);
  while (unfinished.contains(&group))
    if (!runOne(lock, &group))
      changed.wait(lock);
}

void Workers::asyncEnqueue(llvm::unique_function<void()> run, Group group) {
  {
    std::lock_guard lock(mutex);
    waiting.push_back({std::move(run), group});
    ++unfinished[group];
  }
  changed.notify_all();
}

void Workers::work() {
  std::unique_lock lock(mutex);
  while (!ends)
    if (!runOne(lock, nullptr))
      changed.wait(lock);
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
  if (--unfinished[task.group] == 0)
    unfinished.erase(task.group);
  changed.notify_all();
  return true;
}

} // namespace tenon
