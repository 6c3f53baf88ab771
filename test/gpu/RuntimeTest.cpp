// Runs of a device version by the runtime: from memory of the host and of the
// device, states, cancels, limits and profiles.
#include "test/gpu/RuntimeSession.h"

#include <thread>

using namespace tenon::test;

namespace {

using Doubles = std::vector<double>;

Doubles mainOf(const std::vector<float> &x) {
  Doubles y;
  for (size_t i = 0; i < x.size(); ++i)
    y.push_back(2 * x[i] + 0.5 * double(i % 4 + 1));
  return y;
}

TEST(GpuRuntime, RunsFromHostMemory) {
  withSession([](RuntimeSession &session) {
    for (size_t count : {5, 1000, 0, 64}) {
      HostTensor<float> x = ramp(count);
      EXPECT_EQ(session.run("main", {x}), TENON_OK) << session.text();
      EXPECT_EQ(session.y, mainOf(x.data));
    }
    tenon_model_info info = {};
    info.struct_size = sizeof info;
    EXPECT_EQ(tenon_get_model_info(session.model, &info), TENON_OK);
    EXPECT_STREQ(info.device, "emulated sm_80");
    EXPECT_STREQ(info.version, "nvptx");
    uint64_t calls[1];
    EXPECT_EQ(tenon_get_calls(session.model, "main", calls, 1), TENON_OK);
    EXPECT_EQ(calls[0], 4u);
    EXPECT_GE(tenon_context_memory(session.context), 4000u + 4000u);
  });
}

TEST(GpuRuntime, RunsOnTheCpuUnlessAsked) {
  EXPECT_EQ(
      onDevice({},
               [] {
                 for (const char *device : {"", "cpu"}) {
                   RuntimeSession session;
                   EXPECT_EQ(session.openAll(device), TENON_OK);
                   HostTensor<float> x = ramp(6);
                   EXPECT_EQ(session.run("main", {x}), TENON_OK);
                   EXPECT_EQ(session.y, mainOf(x.data));
                   tenon_tensor there = x;
                   there.device = TENON_ON_DEVICE;
                   EXPECT_EQ(session.run("main", {there}), TENON_BAD_INPUT);
                   EXPECT_NE(session.text().find("runs on the CPU"),
                             std::string::npos);
                   there.device = 7;
                   EXPECT_EQ(session.run("main", {there}), TENON_BAD_INPUT);
                 }
                 EXPECT_EQ(
                     standIn<int(const char *)>("tenonStandInCalls")("cuInit"),
                     0);
                 return 0;
               }),
      0);
}

TEST(GpuRuntime, UsesTensorsWhereTheyAre) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> x = ramp(100);
    DeviceBuffer input(400), result(400);
    input.put(x.data);
    tenon_tensor in = x, out = x;
    in.data = input.data();
    in.device = TENON_ON_DEVICE;
    // Into the caller's memory on the device.
    out.data = result.data();
    out.device = TENON_ON_DEVICE;
    auto copies = standIn<int(const char *)>("tenonStandInCalls");
    int before =
        copies("cuMemcpyHtoDAsync_v2") + copies("cuMemcpyDtoDAsync_v2");
    EXPECT_EQ(tenon_run(session.context, "main", &in, 1, &out, 1), TENON_OK)
        << session.text();
    EXPECT_EQ(copies("cuMemcpyHtoDAsync_v2") + copies("cuMemcpyDtoDAsync_v2"),
              before);
    std::vector<float> y = DeviceBuffer::get(result.data(), 100);
    EXPECT_EQ(Doubles(y.begin(), y.end()), mainOf(x.data));
    // Into memory of the context on the device, twice, then of the host.
    tenon_tensor owned = {};
    owned.struct_size = sizeof owned;
    owned.device = TENON_ON_DEVICE;
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(tenon_run(session.context, "main", &in, 1, &owned, 1),
                TENON_OK);
      y = DeviceBuffer::get(owned.data, owned.bytes / 4);
      EXPECT_EQ(Doubles(y.begin(), y.end()), mainOf(x.data));
    }
    owned.device = TENON_ON_HOST;
    EXPECT_EQ(tenon_run(session.context, "main", &in, 1, &owned, 1), TENON_OK);
    auto *here = static_cast<const float *>(owned.data);
    EXPECT_EQ(Doubles(here, here + 100), mainOf(x.data));
  });
}

TEST(GpuRuntime, ChecksTensorsOnTheDevice) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> x = ramp(100);
    DeviceBuffer both(800);
    both.put(std::vector<float>(200, 1));
    tenon_tensor in = x, out = x;
    in.device = out.device = TENON_ON_DEVICE;
    auto status = [&] {
      return tenon_run(session.context, "main", &in, 1, &out, 1);
    };
    out.data = both.data();
    EXPECT_EQ(status(), TENON_BAD_INPUT); // x lies on the host
    EXPECT_NE(session.text().find("not in the memory of NVIDIA GPU 0"),
              std::string::npos)
        << session.text();
    in.data = static_cast<char *>(both.data()) + 396;
    EXPECT_EQ(status(), TENON_BAD_INPUT);
    EXPECT_NE(session.text().find("overlaps"), std::string::npos);
    in.data = static_cast<char *>(both.data()) + 400;
    EXPECT_EQ(status(), TENON_OK) << session.text();
    out.data = x.data.data();
    EXPECT_EQ(status(), TENON_BAD_INPUT);
    out.bytes = 8;
    out.data = both.data();
    EXPECT_EQ(status(), TENON_BAD_INPUT);
  });
}

TEST(GpuRuntime, HostCodeReadsInputs) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> value(2.5f);
    HostTensor<int64_t> count(int64_t(3));
    EXPECT_EQ(session.run("repeat", {value, count}), TENON_OK)
        << session.text();
    EXPECT_EQ(session.y, Doubles({2.5, 2.5, 2.5}));
    // The count lies on the device: plan needs it too.
    DeviceBuffer buffer(8);
    buffer.put(std::vector<int64_t>{5});
    tenon_tensor there = count;
    there.data = buffer.data();
    there.device = TENON_ON_DEVICE;
    EXPECT_EQ(session.run("repeat", {value, there}), TENON_OK)
        << session.text();
    EXPECT_EQ(session.y.size(), 5u);
    tenon_tensor inputs[] = {value, there}, planned = {};
    planned.struct_size = sizeof planned;
    EXPECT_EQ(
        tenon_plan(session.context, "repeat", inputs, 2, &planned, 1, nullptr),
        TENON_OK);
    EXPECT_EQ(planned.dims[0], 5);
    // A value outside the range that the runtime checks.
    buffer.put(std::vector<int64_t>{-2});
    EXPECT_EQ(session.run("send", {there}), TENON_BAD_INPUT);
    EXPECT_NE(session.text().find("expected -1 to"), std::string::npos)
        << session.text();
    EXPECT_EQ(session.run("repeat", {value, there}), TENON_BAD_INPUT);
  });
}

TEST(GpuRuntime, HostCodeWorks) {
  withSession([](RuntimeSession &session) {
    for (size_t count : {3, 500, 1000000}) {
      HostTensor<float> x = ramp(count);
      EXPECT_EQ(session.run("host", {x}), TENON_OK) << session.text();
      EXPECT_EQ(session.y.size(), count);
      for (size_t i = 0; i < session.y.size(); i += 97)
        EXPECT_EQ(session.y[i], -double(x.data[i]));
    }
    HostTensor<float> x{-1, 2, 0, 3};
    EXPECT_EQ(session.run("positive", {x}), TENON_OK) << session.text();
    EXPECT_EQ(session.y, Doubles({2, 3}));
    EXPECT_EQ(session.yDims, std::vector<int64_t>{2});
  });
}

TEST(GpuRuntime, WritesKeepTheirBytes) {
  withSession([](RuntimeSession &session) {
    for (int64_t bytes : {0, 1, 9, 40, 6000, 900000}) {
      HostTensor<int64_t> count(bytes);
      EXPECT_EQ(session.run<unsigned char>("send", {count}), TENON_OK)
          << session.text();
      EXPECT_EQ(session.y.size(), size_t(bytes));
      for (size_t i = 0; i < session.y.size(); ++i)
        if (session.y[i] != double((7 + size_t(bytes) + i) % 256)) {
          ADD_FAILURE() << "byte " << i << " of " << bytes << " is "
                        << session.y[i];
          break;
        }
    }
  });
}

TEST(GpuRuntime, KeepsStates) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> x{1, 2, 3, 4};
    EXPECT_EQ(session.run("keep", {x}), TENON_OK) << session.text();
    EXPECT_EQ(session.y, Doubles({1.5, 3, 4.5, 6}));
    EXPECT_EQ(session.run("keep", {x}), TENON_OK);
    EXPECT_EQ(session.y, Doubles({2.5, 5, 7.5, 10}));
    EXPECT_EQ(session.run("cache", {x}), TENON_OK) << session.text();
    EXPECT_EQ(session.y, Doubles({1, 2, 3, 4, 0, 0, 0, 0}));
    tenon_tensor state = {};
    state.struct_size = sizeof state;
    EXPECT_EQ(tenon_context_find_state(session.context, "sum", &state),
              TENON_OK);
    EXPECT_EQ(state.device, TENON_ON_DEVICE);
    EXPECT_EQ(DeviceBuffer::get(state.data, 4),
              (std::vector<float>{2.5, 5, 7.5, 10}));
    EXPECT_EQ(tenon_context_reset_state(session.context), TENON_OK);
    EXPECT_EQ(session.run("keep", {x}), TENON_OK);
    EXPECT_EQ(session.y, Doubles({1.5, 3, 4.5, 6}));
    // Another context has states of its own, with other extents.
    tenon_context *first = session.context;
    tenon_extent rows = {"rows", 5};
    tenon_context_options options = {};
    options.extents = &rows;
    options.num_extents = 1;
    EXPECT_EQ(session.create(options), TENON_OK) << session.why;
    EXPECT_EQ(session.run("cache", {x}), TENON_OK);
    EXPECT_EQ(session.yDims, (std::vector<int64_t>{5, 4}));
    EXPECT_EQ(tenon_context_destroy(first), TENON_OK);
  });
}

TEST(GpuRuntime, ReportsFaultsOfKernels) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> x{1, 2, 3};
    HostTensor<int64_t> bad{0, 7, 1}, good{2, 0};
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(session.run("pick", {x, bad}), TENON_BAD_INPUT);
      EXPECT_EQ(session.text(), "node \"/pick\" (Gather): index 7 is not "
                                "allowed; expected 0 to 2");
      EXPECT_EQ(session.run("pick", {x, good}), TENON_OK) << session.text();
      EXPECT_EQ(session.y, Doubles({3, 1}));
    }
    HostTensor<float> value(1.f);
    HostTensor<int64_t> count(int64_t(-1));
    EXPECT_EQ(session.run("repeat", {value, count}), TENON_BAD_INPUT);
  });
}

TEST(GpuRuntime, Cancels) {
  withSession([](RuntimeSession &session) {
    HostTensor<float> x{1, 2, 3, 4};
    HostTensor<int64_t> forever(int64_t(1) << 40), once(int64_t(1));
    tenon_cancel(session.context);
    EXPECT_EQ(session.run("spin", {x, forever}), TENON_CANCELLED);
    auto cancelAt = [](void *state, int32_t, int32_t ended, int64_t, int64_t) {
      if (ended)
        tenon_cancel(static_cast<tenon_context *>(state));
    };
    tenon_context_set_profile(session.context, cancelAt, session.context);
    EXPECT_EQ(session.run("spin", {x, forever}), TENON_CANCELLED);
    EXPECT_EQ(session.text(), "cancelled");
    tenon_context_set_profile(session.context, nullptr, nullptr);
    tenon_context_set_timeout(session.context, 20000000);
    EXPECT_EQ(session.run("spin", {x, forever}), TENON_CANCELLED);
    EXPECT_EQ(session.text(), "past the deadline of 20.000 ms");
    tenon_context_set_timeout(session.context, 0);
    EXPECT_EQ(session.run("spin", {x, once}), TENON_OK) << session.text();
    EXPECT_EQ(session.y, Doubles({3, 6, 9, 12}));
  });
}

TEST(GpuRuntime, ContextsShareADevice) {
  withSession([](RuntimeSession &session) {
    tenon_context *first = session.context;
    EXPECT_EQ(session.create(), TENON_OK) << session.why;
    auto work = [](tenon_context *context, float by) {
      for (int i = 1; i <= 20; ++i) {
        HostTensor<float> x{by, 2 * by, 3 * by, 4 * by};
        tenon_tensor input = x, output = {};
        output.struct_size = sizeof output;
        EXPECT_EQ(tenon_run(context, "keep", &input, 1, &output, 1), TENON_OK)
            << tenon_context_text(context);
        EXPECT_EQ(static_cast<float *>(output.data)[1], 1 + 2 * by * float(i));
      }
    };
    std::thread other(work, first, 1.f);
    work(session.context, 3);
    other.join();
    EXPECT_EQ(tenon_close(session.model), TENON_BAD_INPUT);
    EXPECT_EQ(tenon_context_destroy(first), TENON_OK);
  });
}

TEST(GpuRuntime, Profiles) {
  withSession([](RuntimeSession &session) {
    std::vector<std::vector<int64_t>> seen;
    tenon_context_set_profile(
        session.context,
        [](void *state, int32_t launch, int32_t ended, int64_t flops,
           int64_t bytes) {
          static_cast<decltype(seen) *>(state)->push_back(
              {launch, ended, flops, bytes});
        },
        &seen);
    HostTensor<float> x = ramp(8);
    EXPECT_EQ(session.run("main", {x}), TENON_OK);
    EXPECT_EQ(session.y, mainOf(x.data));
    EXPECT_EQ(seen,
              (std::vector<std::vector<int64_t>>{
                  {0, 0, 8, 64}, {0, 1, 8, 64}, {1, 0, 8, 64}, {1, 1, 8, 64}}));
  });
}

TEST(GpuRuntime, KeepsToTheMemoryLimit) {
  withSession([](RuntimeSession &session) {
    tenon_context_destroy(session.context);
    tenon_context_options options = {};
    options.memory_limit = 40;
    EXPECT_EQ(session.create(options), TENON_LIMIT);
    EXPECT_NE(std::string(session.why).find("larger than memory_limit"),
              std::string::npos)
        << session.why;
    // State 96, arena 864, staging 2 x 512 and the output's 400 bytes.
    options.memory_limit = 96 + 864 + 1024 + 400;
    EXPECT_EQ(session.create(options), TENON_OK);
    HostTensor<float> x = ramp(100), more = ramp(101);
    EXPECT_EQ(session.run("main", {x}), TENON_OK) << session.text();
    EXPECT_EQ(session.run("main", {more}), TENON_LIMIT);
    EXPECT_NE(session.text().find("the limit is 2384"), std::string::npos)
        << session.text();
  });
}

TEST(GpuRuntime, RunsOutOfDeviceMemory) {
  withSession(
      [](RuntimeSession &session) {
        HostTensor<float> x = ramp(2000), less = ramp(10);
        EXPECT_EQ(session.run("main", {x}), TENON_LIMIT);
        EXPECT_NE(session.text().find("cuMemAlloc failed: "
                                      "CUDA_ERROR_OUT_OF_MEMORY"),
                  std::string::npos)
            << session.text();
        EXPECT_NE(session.text().find("help: "), std::string::npos);
        EXPECT_EQ(session.run("main", {less}), TENON_OK) << session.text();
        tenon_extent rows = {"rows", 1000};
        tenon_context_options options = {};
        options.extents = &rows;
        options.num_extents = 1;
        tenon_context *first = session.context;
        EXPECT_EQ(session.create(options), TENON_LIMIT);
        EXPECT_NE(std::string(session.why).find("the state"),
                  std::string::npos);
        session.context = first;
      },
      {{"TENON_GPU_MEMORY", "9000"}});
}

TEST(GpuRuntime, LosesTheDevice) {
  EXPECT_EQ(
      onDevice(
          {},
          [] {
            RuntimeSession session;
            EXPECT_EQ(session.openAll(), TENON_OK);
            HostTensor<float> x{1, 2, 3, 4};
            EXPECT_EQ(session.run("trespass", {x}), TENON_FAILED);
            EXPECT_NE(session.text().find("CUDA_ERROR_LAUNCH_FAILED"),
                      std::string::npos);
            EXPECT_NE(session.text().find("start a new process"),
                      std::string::npos)
                << session.text();
            EXPECT_EQ(session.run("main", {x}), TENON_FAILED);
            EXPECT_NE(session.text().find("GPU 0 is lost"), std::string::npos)
                << session.text();
            EXPECT_EQ(tenon_context_reset_state(session.context), TENON_FAILED);
            return 0;
          }),
      0);
}

} // namespace
