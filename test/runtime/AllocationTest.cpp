// Tests failures of the system: every allocation, mapping and thread start of
// the runtime fails in turn. Each time the status must report it, nothing may
// leak, and the next call must succeed. The linker redirects the runtime's
// calls to here.
#include "test/runtime/Session.h"

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

using namespace tenon::test;

namespace {
std::atomic<long> countdown{-1}; // number of calls until one fails; negative:
                                 // none
std::atomic<long> calls{0};
std::atomic<bool> threadsRefused{false};
std::atomic<long> live{0}; // blocks and mappings not yet freed

bool failsNow() {
  ++calls;
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
void *__real_aligned_alloc(size_t, size_t);
char *__real_strdup(const char *);
char *__real_realpath(const char *, char *);
void __real_free(void *);
void *__real_mmap(void *, size_t, int, int, int, off_t);
int __real_munmap(void *, size_t);
int __real_pthread_create(pthread_t *, const pthread_attr_t *,
                          void *(*)(void *), void *);

void *__wrap_malloc(size_t size) {
  return failsNow() ? nullptr : counted(__real_malloc(size));
}
void *__wrap_calloc(size_t count, size_t size) {
  return failsNow() ? nullptr : counted(__real_calloc(count, size));
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return failsNow() ? nullptr : counted(__real_aligned_alloc(alignment, size));
}
char *__wrap_strdup(const char *text) {
  return failsNow() ? nullptr : counted(__real_strdup(text));
}
char *__wrap_realpath(const char *path, char *to) {
  errno = ENOMEM;
  return failsNow() ? nullptr : counted(__real_realpath(path, to));
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
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*entry)(void *), void *argument) {
  if (failsNow() || threadsRefused)
    return EAGAIN;
  return __real_pthread_create(thread, attributes, entry, argument);
}
}

namespace {

/// Opens, runs with every kind of memory and closes; stops at the first
/// failure.
tenon_status wholeLife(const std::string &path, bool copy, bool deadline,
                       std::string &text) {
  char opening[512] = "";
  tenon_open_options options = {};
  options.struct_size = sizeof options;
  options.error_text = opening;
  options.error_text_bytes = sizeof opening;
  options.threads = 2;
  options.weights_mode = copy;
  tenon_model *model = nullptr;
  tenon_status status = tenon_open(path.c_str(), &options, &model);
  text = opening;
  if (status != TENON_OK)
    return status;
  tenon_context_options more = {};
  more.struct_size = sizeof more;
  more.error_text = opening;
  more.error_text_bytes = sizeof opening;
  more.timeout_ns = deadline ? 60000000000 : 0;
  tenon_context *context = nullptr;
  status = tenon_context_create(model, &more, &context);
  text = opening;
  if (status == TENON_OK) {
    int64_t bytes = 3 << 20, rows = 4, dims[2] = {rows, 4};
    float a[16] = {1, 2, 3}, b[16] = {4, 5, 6};
    tenon_tensor scalar = {sizeof scalar, nullptr, TENON_I64, 0,
                           nullptr,       &bytes,  8,         TENON_ON_HOST};
    tenon_tensor pair[] = {
        {sizeof *pair, nullptr, TENON_F32, 2, dims, a, sizeof a, TENON_ON_HOST},
        {sizeof *pair, nullptr, TENON_F32, 2, dims, b, sizeof b,
         TENON_ON_HOST}};
    tenon_tensor output = ownedOutput();
    status = tenon_run(context, "main", pair, 2, &output, 1);
    if (status == TENON_OK) {
      EXPECT_EQ(static_cast<float *>(output.data)[1], 11);
      output = ownedOutput();
      status = tenon_run(context, "hoard", &scalar, 1, &output, 1);
    }
    text = tenon_context_text(context);
    if (status != TENON_OK) {
      // The context must work again once the system does.
      countdown = -1;
      tenon_tensor again = ownedOutput();
      EXPECT_EQ(tenon_run(context, "main", pair, 2, &again, 1), TENON_OK)
          << tenon_context_text(context);
      EXPECT_EQ(static_cast<float *>(again.data)[1], 11);
    }
    EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
  }
  EXPECT_EQ(tenon_close(model), TENON_OK);
  return status;
}

void failEachCallInTurn(const std::string &path, bool copy, bool deadline) {
  std::string text;
  long before = live;
  calls = 0;
  ASSERT_EQ(wholeLife(path, copy, deadline, text), TENON_OK) << text;
  long total = calls;
  EXPECT_GT(total, 20);
  EXPECT_EQ(live, before);
  int refusals = 0;
  for (long n = 0; n < total; ++n) {
    countdown = n;
    tenon_status status = wholeLife(path, copy, deadline, text);
    countdown = -1;
    // Without its second thread the pool still runs all tasks.
    EXPECT_TRUE(status == TENON_LIMIT || status == TENON_OK)
        << n << ": " << status << " " << text;
    EXPECT_EQ(status == TENON_OK, text.empty()) << text;
    EXPECT_EQ(live, before) << "after failing call " << n;
    refusals += status == TENON_LIMIT;
  }
  EXPECT_GE(refusals, total - 4);
}

TEST(Allocation, EachFailsInTurn) {
  failEachCallInTurn(artifact("hand.so"), false, false);
}

TEST(Allocation, EachFailsInTurnWithACopyAndADeadline) {
  failEachCallInTurn(artifact("hand.so"), true, true);
}

TEST(Allocation, EachFailsInTurnWithAWeightFile) {
  failEachCallInTurn(artifact("external/hand-external.so"), false, false);
}

TEST(Allocation, ARunWithDefaultsTakesNone) {
  Session session;
  int64_t dims[] = {2};
  float x[] = {2, 4}, y[2];
  tenon_tensor input = {sizeof input, nullptr, TENON_F32, 1,
                        dims,         x,       sizeof x,  TENON_ON_HOST};
  tenon_tensor output = ownedOutput();
  output.data = y;
  output.bytes = sizeof y;
  long before = calls;
  ASSERT_EQ(tenon_run(session.context, "blend", &input, 1, &output, 1),
            TENON_OK)
      << session.text();
  EXPECT_EQ(calls, before);
  EXPECT_EQ(y[1], 18);
}

TEST(Allocation, WithoutThreadsTheBitsAreTheSame) {
  auto series = [](int32_t threads) {
    return Session(artifact("hand.so"), threads).series(500, 0.7f);
  };
  std::vector<float> expected = series(4);
  threadsRefused = true;
  std::vector<float> alone = series(4);
  threadsRefused = false;
  EXPECT_EQ(std::memcmp(expected.data(), alone.data(), 2000), 0);
}

} // namespace
