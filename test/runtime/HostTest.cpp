// Tests that the runtime leaves the host's signal handlers, standard streams,
// descriptors and floating-point state unchanged.
#include "test/ChildProcess.h"
#include "test/runtime/Session.h"

#include <cfenv>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tenon::test;

namespace {

/// Opens a model, runs it in parallel, fails, hits a deadline, and closes.
bool liveWhole(const std::string &path) {
  tenon_open_options open = {};
  open.struct_size = sizeof open;
  open.threads = 3;
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  if (tenon_open(path.c_str(), &open, &model) != TENON_OK ||
      tenon_context_create(model, nullptr, &context) != TENON_OK)
    return false;
  bool right = true;
  MainCall call(3);
  right &= call.run(context) == TENON_OK && call.isRight();
  call.aDims[1] = 5;
  right &= call.run(context) == TENON_BAD_INPUT;
  std::vector<float> x(5000, 0.5f), y(5000);
  std::vector<int64_t> dims{5000}, yDims{0}, steps{INT64_MAX}, done{0}, none;
  tenon_tensor input = tensorOn(x, dims), output = tensorOn(y, yDims);
  right &= tenon_run(context, "series", &input, 1, &output, 1) == TENON_OK;
  right &= tenon_context_set_timeout(context, 2000000) == TENON_OK;
  tenon_tensor count = tensorOn(steps, none), sum = tensorOn(done, none);
  right &= tenon_run(context, "spin", &count, 1, &sum, 1) == TENON_CANCELLED;
  right &= tenon_context_destroy(context) == TENON_OK;
  right &= tenon_close(model) == TENON_OK;
  right &= tenon_open("/no/such", &open, &model) == TENON_IO;
  return right;
}

TEST(Host, SignalHandlersStay) {
  EXPECT_EQ(inChild([] {
              auto handler = [](int) {};
              struct sigaction before[NSIG] = {}, after = {};
              for (int number = 1; number < NSIG; ++number) {
                if (number % 2)
                  signal(number, handler);
                sigaction(number, nullptr, &before[number]);
              }
              sigset_t maskBefore, maskAfter;
              pthread_sigmask(SIG_SETMASK, nullptr, &maskBefore);
              if (!liveWhole(artifact("hand.so")))
                return 1;
              for (int number = 1; number < NSIG; ++number) {
                if (sigaction(number, nullptr, &after) != 0)
                  continue; // reserved by the C library
                if (after.sa_handler != before[number].sa_handler ||
                    after.sa_flags != before[number].sa_flags)
                  return 2;
              }
              pthread_sigmask(SIG_SETMASK, nullptr, &maskAfter);
              for (int number = 1; number < NSIG; ++number)
                if (sigismember(&maskBefore, number) !=
                    sigismember(&maskAfter, number))
                  return 3;
              return 0;
            }),
            0);
}

TEST(Host, NothingIsPrinted) {
  char name[] = "/tmp/tenon-said-XXXXXX";
  int said = mkstemp(name);
  EXPECT_EQ(inChild([&] {
              dup2(said, 1);
              dup2(said, 2);
              return liveWhole(artifact("hand.so")) ? 0 : 1;
            }),
            0);
  EXPECT_EQ(lseek(said, 0, SEEK_END), 0);
  close(said);
  unlink(name);
}

TEST(Host, ClosedStreamsAreNotMissed) {
  for (const char *name : {"hand.so", "external/hand-external.so"})
    EXPECT_EQ(inChild([&] {
                for (int stream : {0, 1, 2})
                  close(stream);
                if (!liveWhole(artifact(name)))
                  return 1;
                // all opened files must be closed
                for (int fd = 0; fd < 64; ++fd)
                  if (fcntl(fd, F_GETFD) >= 0 && fd < 3)
                    return 2;
                return 0;
              }),
              0)
        << name;
}

TEST(Host, RoundingModesAndTrapsChangeNothing) {
  auto series = [](int32_t threads) {
    return Session(artifact("hand.so"), threads).series(3000, 0.1f);
  };
  std::vector<float> expected = series(1);
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO})
    for (int32_t threads : {1, 3}) {
      std::fenv_t before;
      std::fegetenv(&before);
      std::fesetround(mode);
      feenableexcept(FE_INEXACT | FE_UNDERFLOW | FE_DIVBYZERO);
      int traps = fegetexcept();
      std::vector<float> result = series(threads);
      EXPECT_EQ(std::fegetround(), mode);
      EXPECT_EQ(fegetexcept(), traps);
      std::fesetenv(&before);
      EXPECT_EQ(std::memcmp(expected.data(), result.data(), 12000), 0);
    }
}

TEST(Host, HasWhatItsKernelSays) {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line) && line.compare(0, 5, "flags") != 0)
    ;
  line += " ";
  uint64_t host = tenon_host_cpu_features();
  struct Feature {
    uint64_t bit;
    const char *name;
  };
  const Feature features[] = {
      {TENON_CPU_SSE42, " sse4_2 "},
      {TENON_CPU_AVX, " avx "},
      {TENON_CPU_AVX2, " avx2 "},
      {TENON_CPU_FMA, " fma "},
      {TENON_CPU_F16C, " f16c "},
      {TENON_CPU_AVX512F, " avx512f "},
      {TENON_CPU_AVX512VL, " avx512vl "},
      {TENON_CPU_MOVBE, " movbe "},
      {TENON_CPU_AVX512BF16, " avx512_bf16 "},
      {TENON_CPU_AVX512FP16, " avx512_fp16 "},
      {TENON_CPU_AVX512VNNI, " avx512_vnni "},
      {TENON_CPU_AVXVNNI, " avx_vnni "},
      {TENON_CPU_AMX_INT8, " amx_int8 "},
      {TENON_CPU_BMI2, " bmi2 "},
      {TENON_CPU_GFNI, " gfni "},
      {TENON_CPU_VAES, " vaes "},
  };
  for (const Feature &feature : features)
    EXPECT_EQ(bool(host & feature.bit),
              line.find(feature.name) != std::string::npos)
        << feature.name;
  // The kernel of a virtual machine may leave this one out.
  EXPECT_EQ(bool(host & TENON_CPU_LZCNT),
            bool(__builtin_cpu_supports("lzcnt")));
}

} // namespace
