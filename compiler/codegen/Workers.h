// The threads of a compilation, including the caller's. MLIR's passes and code
// generation share them.
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
  /// Uses at most `jobs` threads; if `jobs` is not positive, one for each CPU.
  /// A thread is started when a task is added and no thread is free. If the
  /// system refuses a thread, the tasks run on fewer threads.
  explicit Workers(int jobs);
  ~Workers() override;

  /// Calls work(0) to work(count - 1); the calling thread takes part.
  void forEach(unsigned count, llvm::function_ref<void(unsigned)> work);

  /// Runs tasks on the calling thread too, until all tasks, or those of the
  /// group, are done.
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
  /// Starts one more thread unless the limit is reached. Requires the lock.
  void start();
  void work();
  /// Runs the first waiting task, of `group` if that is not null. Returns false
  /// if there is none. Releases the lock while the task runs.
  bool runOne(std::unique_lock<std::mutex> &lock, Group group);

  const unsigned most;              ///< number of threads, including the
                                    ///< caller's
  std::mutex mutex;                 ///< guards all members below
  std::condition_variable hasTask;  ///< our threads wait here for a task or
                                    ///< for the end
  std::condition_variable finished; ///< threads wait here until their group is
                                    ///< done
  std::deque<Task> waiting;
  llvm::DenseMap<Group, unsigned> unfinished; ///< tasks of each group
  size_t tasks = 0;                           ///< unfinished tasks of all
                                              ///< groups
  bool ends = false;
  std::vector<pthread_t> started;
};

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_WORKERS_H
