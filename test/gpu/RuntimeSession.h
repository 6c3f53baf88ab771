// A model of the device, opened in a child process with settings of its own.
#ifndef TENON_TEST_GPU_RUNTIMESESSION_H
#define TENON_TEST_GPU_RUNTIMESESSION_H

#include "test/ChildProcess.h"
#include "test/gpu/DeviceBuffer.h"
#include "test/gpu/RuntimeModel.h"

#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

namespace tenon::test {

using Settings = std::vector<std::pair<const char *, std::string>>;

inline std::string leftOnDevice() {
  return standIn<const char *()>("tenonStandInLeft")();
}

/// True if memory of the host is lost; known in builds for that only.
inline bool hasLeaks() {
#if __has_feature(address_sanitizer)
  return __lsan_do_recoverable_leak_check() != 0;
#else
  return false;
#endif
}

/// Runs a test's body in a child whose driver is the stand-in with these
/// settings. Returns what the body returns, or -1 if an expectation failed.
inline int onDevice(const Settings &settings,
                    const std::function<int()> &body) {
  int result = inChild([&] {
    setenv("TENON_GPU_REPORT", "/dev/null", 1);
    for (const auto &[name, value] : settings)
      setenv(name, value.c_str(), 1);
    // The runtime asks for libcuda.so.1, which is then loaded.
    EXPECT_NE(dlopen(TENON_STAND_IN, RTLD_NOW), nullptr) << dlerror();
    int made = body();
    EXPECT_FALSE(hasLeaks());
    return testing::Test::HasFailure() ? 99 : made;
  });
  return result == 99 ? -1 : result;
}

/// A model and a context; nothing is expected of opening.
struct RuntimeSession {
  RuntimeModel made;
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  char why[1024] = "";

  explicit RuntimeSession(std::vector<int> architectures = {75, 80})
      : made(architectures) {}
  RuntimeSession(const RuntimeSession &) = delete;
  ~RuntimeSession() {
    EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
    EXPECT_EQ(tenon_close(model), TENON_OK);
  }

  tenon_status open(const char *device = "cuda") {
    tenon_open_options options = {};
    options.struct_size = sizeof options;
    options.error_text = why;
    options.error_text_bytes = sizeof why;
    options.threads = 1;
    options.device = device;
    return tenon_open_desc(&made.desc, &options, &model);
  }
  tenon_status create(tenon_context_options options = {}) {
    options.struct_size = sizeof options;
    options.error_text = why;
    options.error_text_bytes = sizeof why;
    return tenon_context_create(model, &options, &context);
  }
  tenon_status openAll(const char *device = "cuda") {
    tenon_status status = open(device);
    return status == TENON_OK ? create() : status;
  }
  std::string text() const { return tenon_context_text(context); }

  /// Runs a function; the result is in `y` and `yDims`.
  template <typename T = float>
  tenon_status run(const char *function, std::vector<tenon_tensor> inputs) {
    tenon_tensor output = {};
    output.struct_size = sizeof output;
    tenon_status status =
        tenon_run(context, function, inputs.data(), inputs.size(), &output, 1);
    y.clear();
    if (status != TENON_OK)
      return status;
    auto *data = static_cast<const T *>(output.data);
    y.assign(data, data + output.bytes / sizeof(T));
    yDims.assign(output.dims, output.dims + output.rank);
    return status;
  }
  std::vector<double> y;
  std::vector<int64_t> yDims;
};

/// A tensor in host memory that the test owns.
template <typename T> struct HostTensor {
  std::vector<T> data;
  std::vector<int64_t> dims;

  HostTensor(std::initializer_list<T> values)
      : data(values), dims{int64_t(values.size())} {}
  explicit HostTensor(const T &value) : data{value} {}
  explicit HostTensor(std::vector<T> values)
      : data(std::move(values)), dims{int64_t(data.size())} {}
  operator tenon_tensor() {
    return {sizeof(tenon_tensor),
            nullptr,
            sizeof(T) == 8   ? TENON_I64
            : sizeof(T) == 4 ? TENON_F32
                             : TENON_U8,
            int32_t(dims.size()),
            dims.data(),
            data.data(),
            data.size() * sizeof(T),
            TENON_ON_HOST};
  }
};

/// -3 -2 -1 0 ...
inline HostTensor<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i) - 3;
  return HostTensor<float>(values);
}

/// The result of `mixed` for ramp(n).
inline std::vector<double> mixedOf(int n) {
  std::vector<double> y;
  for (int i = 0; i < n; ++i)
    y.push_back(i < 6 ? n + i : i - 3 + 0.5 * (i % 4 + 1));
  return y;
}

/// Runs the body with an open session under several schedules; afterwards
/// nothing may be left on the device.
inline void withSession(const std::function<void(RuntimeSession &)> &body,
                        Settings settings = {}) {
  for (int seed = 0; seed < 3; ++seed) {
    Settings all = settings;
    all.push_back({"TENON_GPU_SEED", std::to_string(seed)});
    EXPECT_EQ(onDevice(all,
                       [&] {
                         {
                           RuntimeSession session;
                           EXPECT_EQ(session.openAll(), TENON_OK)
                               << session.why;
                           if (session.context)
                             body(session);
                         }
                         EXPECT_EQ(leftOnDevice(), "");
                         return 0;
                       }),
              0);
  }
}

} // namespace tenon::test

#endif
