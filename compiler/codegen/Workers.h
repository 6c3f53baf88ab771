// The threads of a compilation, the caller's included: MLIR's passes share them
// with the parts of the code.
#ifndef TENON_COMPILER_CODEGEN_WORKERS_H
#define TENON_COMPILER_CODEGEN_WORKERS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/ThreadPool.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace tenon {

class Workers final : public llvm::ThreadPoolInterface {
public:
  /// At most `jobs` threads, or one a CPU where that is not positive; never
  /// more than there were tasks at once, and fewer where the system refuses
  /// one.
  explicit Workers(int jobs);
  ~Workers() override;

  /// Calls work(0) to work(count - 1), the caller beside the others.
  void forEach(unsigned count, llvm::function_ref<void(unsigned)> work);

  /// The caller works too until nothing is left, or nothing of the group.
  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override { return most; }

private:
  using Group = llvm::ThreadPoolTaskGroup *;
  struct Task {
    llvm::unique_function<void()> run;
    Group group;
  };

  void asyncEnqueue(llvm::unique_function<void()> run, Group group) override;
  /// One thread more, if there may be one. The lock is held.
  void start();
  void work();
  /// Runs the first task that waits, of `group` if it is not null; false where
  /// there is none. The lock is free meanwhile.
  bool runOne(std::unique_lock<std::mutex> &lock, Group group);

  const unsigned most;              ///< threads, the caller's included
  std::mutex mutex;                 ///< of all below
  std::condition_variable hasTask;  ///< or ends: for threads of our own
  std::condition_variable finished; ///< a group: for those who wait
  std::deque<Task> waiting;
  llvm::DenseMap<Group, unsigned> unfinished; ///< tasks of each group
  size_t tasks = 0;                           ///< those of all groups
  bool ends = false;
  std::vector<pthread_t> started;
};

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_WORKERS_H
