// Counts the allocations of the library and the runtime: after the largest call
// there are none. Then each of them fails in turn.
#include "test/generate/Chain.h"

#include <sys/mman.h>

#include <atomic>

using namespace tenon::test;

namespace {
std::atomic<long> calls{0};
std::atomic<long> countdown{-1}; // number of calls until one fails; negative:
                                 // none

bool failsNow() {
  ++calls;
  return countdown >= 0 && countdown-- == 0;
}
} // namespace

extern "C" {
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_aligned_alloc(size_t, size_t);
void __real_free(void *);
void *__real_mmap(void *, size_t, int, int, int, off_t);
int __real_munmap(void *, size_t);

void *__wrap_malloc(size_t size) {
  return failsNow() ? nullptr : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
  return failsNow() ? nullptr : __real_calloc(count, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return failsNow() ? nullptr : __real_aligned_alloc(alignment, size);
}
void __wrap_free(void *block) { __real_free(block); }
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd,
                  off_t offset) {
  errno = ENOMEM;
  return failsNow() ? MAP_FAILED
                    : __real_mmap(at, size, protection, flags, fd, offset);
}
int __wrap_munmap(void *at, size_t size) { return __real_munmap(at, size); }
}

namespace {

TEST(Allocation, NoneForTheSourceOfAnEncoder) {
  Chain relay({}, TENON_TEST_RELAY);
  relay.set("max_new_tokens", 5);
  ASSERT_EQ(relay.run({{1, 2, 3, 4}, {5}}), TENON_OK) << relay.text();
  calls = 0;
  ASSERT_EQ(relay.run({{1, 2, 3, 4}, {5}}), TENON_OK) << relay.text();
  ASSERT_EQ(relay.run({{6}, {7, 8}}), TENON_OK) << relay.text();
  EXPECT_EQ(calls, 0);
}

TEST(Allocation, NoneAfterTheLargestCall) {
  Chain chain;
  // An option that is set for the first time needs memory too.
  chain.set("max_new_tokens", 50);
  chain.set("num_return_sequences", 1);
  std::vector<Ids> largest{{1, 2, 3, 4}, {5}, {6, 7}};
  chain.allow = [](size_t sequence, size_t, uint8_t *mask) {
    mask[sequence] = 1;
    return 1;
  };
  ASSERT_EQ(chain.run(largest), TENON_OK) << chain.text();
  EXPECT_GT(calls, 0);
  calls = 0;
  ASSERT_EQ(chain.run(largest), TENON_OK);
  ASSERT_EQ(chain.run({{9, 9}, {8}}), TENON_OK);
  chain.set("num_return_sequences", 3);
  ASSERT_EQ(chain.run({{9, 9, 9}}), TENON_OK);
  chain.set("num_return_sequences", 1);
  ASSERT_EQ(chain.run({{9, 9, 9, 0}}), TENON_OK);
  chain.set("max_new_tokens", 7);
  chain.timeout = 1000000000000;
  ASSERT_EQ(chain.run({{1}}), TENON_OK);
  chain.allow = nullptr;
  ASSERT_EQ(chain.run({{1}}), TENON_OK);
  EXPECT_EQ(calls, 0);
}

TEST(Allocation, EachFailsInTurn) {
  std::vector<Ids> prompts{{1, 2, 3, 4}, {5}};
  for (long n = 0, refusals = 0;; ++n) {
    Chain chain;
    countdown = n;
    tenon_status status = chain.run(prompts);
    bool failed = countdown < 0;
    countdown = -1;
    if (!failed) {
      EXPECT_EQ(status, TENON_OK);
      EXPECT_GT(refusals, 5);
      return;
    }
    ++refusals;
    EXPECT_EQ(status, TENON_LIMIT) << n << ": " << chain.text();
    EXPECT_NE(chain.text(), "") << n;
    ASSERT_EQ(chain.run(prompts), TENON_OK) << n << ": " << chain.text();
    EXPECT_EQ(chain.texts()[1].ids, chainAfter(5, 20)) << n;
  }
}

} // namespace
