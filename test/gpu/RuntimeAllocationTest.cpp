// Every allocation and mapping that a device version needs in the host's memory
// fails in turn: the status must say so, nothing may be lost, and the next run
// must be right. The linker redirects the runtime's calls to here.
#include "test/gpu/RuntimeScenario.h"

#include <sys/mman.h>

#include <cerrno>

using namespace tenon::test;

namespace {
long countdown = -1; // calls until one fails; negative: none
long numCalls = 0;
long live = 0; // blocks and mappings that are not freed

bool failsNow() {
  ++numCalls;
  return countdown >= 0 && countdown-- == 0;
}
template <typename T> T *counted(T *block) {
  live += block != nullptr;
  return block;
}
} // namespace

extern "C" {
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_aligned_alloc(size_t, size_t);
char *__real_strdup(const char *);
void __real_free(void *);
void *__real_mmap(void *, size_t, int, int, int, off_t);
int __real_munmap(void *, size_t);

void *__wrap_malloc(size_t size) {
  return failsNow() ? nullptr : counted(__real_malloc(size));
}
void *__wrap_calloc(size_t count, size_t size) {
  return failsNow() ? nullptr : counted(__real_calloc(count, size));
}
void *__wrap_realloc(void *block, size_t size) {
  if (failsNow())
    return nullptr;
  live += block == nullptr;
  return __real_realloc(block, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return failsNow() ? nullptr : counted(__real_aligned_alloc(alignment, size));
}
char *__wrap_strdup(const char *text) {
  return failsNow() ? nullptr : counted(__real_strdup(text));
}
void __wrap_free(void *block) {
  live -= block != nullptr;
  __real_free(block);
}
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd,
                  off_t offset) {
  errno = ENOMEM;
  if (failsNow())
    return MAP_FAILED;
  void *map = __real_mmap(at, size, protection, flags, fd, offset);
  live += map != MAP_FAILED;
  return map;
}
int __wrap_munmap(void *at, size_t size) {
  --live;
  return __real_munmap(at, size);
}
}

namespace {

/// Uses the model with the n-th call failing, negative: none. Returns how many
/// calls there were.
long useWithFailure(long n) {
  long before = live;
  long made = numCalls;
  {
    Scenario scenario;
    countdown = n;
    scenario.runAll();
    bool hasFailed = n >= 0 && countdown < 0;
    countdown = -1;
    made = numCalls - made;
    // Without memory for a graph, the work starts item by item.
    EXPECT_TRUE(scenario.failed == TENON_LIMIT || scenario.failed == TENON_OK)
        << n << ": " << scenario.failed << " " << scenario.text;
    if (scenario.failed != TENON_OK) {
      EXPECT_NE(scenario.text.find("out of memory"), std::string::npos)
          << n << ": " << scenario.text;
    }
    if (hasFailed) {
      EXPECT_TRUE(scenario.runAll()) << n << ": " << scenario.text;
    }
  }
  EXPECT_EQ(live, before) << n;
  EXPECT_EQ(leftOnDevice(), "") << n;
  return made;
}

TEST(GpuAllocation, EachFailsInTurn) {
  EXPECT_EQ(onDevice({},
                     [] {
                       long calls = useWithFailure(-1);
                       EXPECT_GT(calls, 50);
                       for (long n = 0; n < calls; ++n)
                         (void)useWithFailure(n);
                       return 0;
                     }),
            0);
}

TEST(GpuAllocation, ARunTakesNoneAfterTheLargest) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> large = ramp(100), small = ramp(7);
    HostTensor<int64_t> steps(int64_t(40)), fewer(int64_t(5));
    // Each list comes twice, and so becomes a graph.
    auto all = [&] {
      for (HostTensor<float> &x : {std::ref(large), std::ref(small)}) {
        EXPECT_EQ(session.run("chain", {x, steps}), TENON_OK);
        EXPECT_EQ(session.run("chain", {x, fewer}), TENON_OK);
        EXPECT_EQ(session.run("mixed", {x}), TENON_OK) << session.text();
      }
    };
    all();
    long before = numCalls;
    all();
    EXPECT_EQ(numCalls, before);
  });
}

} // namespace
