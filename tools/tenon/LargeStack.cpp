// Switches the main thread to another stack. It must stay the main thread,
// because signals are delivered to it and the children are its own.
#include "tools/tenon/LargeStack.h"

#include "tools/tenon/Talk.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

namespace tenon::cli {

/// The stack size that the limits on a model's nesting assume.
constexpr size_t wantedStack = size_t(8) << 20;

static llvm::function_ref<Status()> bodyOfStack = nullptr;
static Status statusOfBody = Status::Internal;

static void runBody() { statusOfBody = bodyOfStack(); }

Status withLargeStack(llvm::function_ref<Status()> body) {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= wantedStack)
    return body();
  // The linker is a separate process and gets the raised limit.
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wantedStack);
  (void)setrlimit(RLIMIT_STACK, &limit);
  size_t guard = size_t(sysconf(_SC_PAGESIZE)), size = wantedStack + guard;
  void *stack = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  ucontext_t inner, outer;
  if (stack == MAP_FAILED || mprotect(stack, guard, PROT_NONE) != 0 ||
      getcontext(&inner) != 0)
    return Talk().fail(Status::Limit, "tenon",
                       "no memory for a stack of 8 MiB, and the stack's limit "
                       "is lower");
  inner.uc_stack.ss_sp = stack;
  inner.uc_stack.ss_size = size;
  inner.uc_link = &outer;
  makecontext(&inner, runBody, 0);
  bodyOfStack = body;
  swapcontext(&outer, &inner);
  munmap(stack, size);
  return statusOfBody;
}

} // namespace tenon::cli
