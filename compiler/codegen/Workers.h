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
  /// `threads` of them, or one a CPU where that is 0; fewer where the system
  /// refuses one.
  explicit Workers(unsigned threads);
  ~Workers() override;

  /// Calls work(0) to work(count - 1), the caller beside the others.
  void forEach(unsigned count, llvm::function_ref<void(unsigned)> work);

  /// The caller works too until nothing is left, or nothing of the group.
  void wait() override;
  void wait(llvm::ThreadPoolTaskGroup &group) override;
  unsigned getMaxConcurrency() const override {
    return unsigned(started.size()) + 1;
  }

private:
  using Group = llvm::ThreadPoolTaskGroup *;
  struct Task {
    llvm::unique_function<void()> run;
    Group group;
  };

  void asyncEnqueue(llvm::unique_function<void()> run, Group group) override;
  void work();
  /// Runs the first task that waits, of `group` if it is not null; false where
  /// there is none. The lock is free meanwhile.
  bool runOne(std::unique_lock<std::mutex> &lock, Group group);

  std::mutex mutex; ///< of all below but `started`
  std::condition_variable changed;
  std::deque<Task> waiting;
  llvm::DenseMap<Group, unsigned> unfinished; ///< tasks of each group
  bool ends = false;
  std::vector<pthread_t> started;
};

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_WORKERS_H
