// A compiled artifact with versions for CPUs and for sm_75 and sm_80:
// shared.mlir with a variant. All sizes give the CPU's bits, and no size
// compiles anything.
#include "test/gpu/RuntimeSession.h"

using namespace tenon::test;

namespace {

int calls(const char *function) {
  return standIn<int(const char *)>("tenonStandInCalls")(function);
}

struct Opened {
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;

  explicit Opened(const char *device) {
    char text[1024] = "";
    tenon_open_options options = {};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    options.threads = 1;
    options.device = device;
    EXPECT_EQ(tenon_open(TENON_ARTIFACT, &options, &model), TENON_OK) << text;
    EXPECT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
  }
  ~Opened() {
    EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
    EXPECT_EQ(tenon_close(model), TENON_OK);
  }

  std::vector<float> run(const char *function, int64_t rows) {
    std::vector<float> values;
    for (int64_t i = 0; i < rows * 16; ++i)
      values.push_back(float(i * 37 % 101) / 50 - 1);
    int64_t dims[] = {rows, 16};
    tenon_tensor x = {sizeof x,
                      nullptr,
                      TENON_F32,
                      2,
                      dims,
                      values.data(),
                      values.size() * sizeof(float),
                      TENON_ON_HOST},
                 y = {};
    y.struct_size = sizeof y;
    EXPECT_EQ(tenon_run(context, function, &x, 1, &y, 1), TENON_OK)
        << tenon_context_text(context);
    auto *data = static_cast<const float *>(y.data);
    return {data, data + y.bytes / sizeof(float)};
  }
  /// Runs of the code for any size, variant 0, or for the sizes of a variant.
  uint64_t numCalls(const char *function, size_t variant) {
    uint64_t counts[2] = {};
    EXPECT_EQ(tenon_get_calls(model, function, counts, 2), TENON_OK);
    return counts[variant];
  }
};

/// Runs both functions on both sides; the results must have the same bits.
void compare(Opened &cpu, Opened &device, int64_t rows) {
  for (const char *function : {"step", "look"}) {
    std::vector<float> here = cpu.run(function, rows),
                       there = device.run(function, rows);
    EXPECT_EQ(here.size(), there.size());
    EXPECT_EQ(
        std::memcmp(here.data(), there.data(), here.size() * sizeof(float)), 0)
        << function << " of " << rows << " rows";
  }
}

TEST(CompiledModel, TwelveSizesInTurn) {
  for (const char *architecture : {"75", "80"})
    EXPECT_EQ(
        onDevice({{"TENON_GPU_SM", architecture}},
                 [] {
                   {
                     Opened cpu(nullptr), device("cuda");
                     // Each list comes twice: those of any size, and those of
                     // the variant for four rows.
                     for (int64_t rows : {5, 4, 6, 4})
                       compare(cpu, device, rows);
                     int made = calls("cuGraphInstantiateWithFlags"),
                         launched = calls("cuGraphLaunch"),
                         alone = calls("cuLaunchKernel"),
                         changed = calls("cuGraphExecKernelNodeSetParams");
                     EXPECT_EQ(made, 4);
                     EXPECT_EQ(launched, 4);
                     for (int64_t rows : {1, 40, 4, 3, 17, 64, 2, 9})
                       compare(cpu, device, rows);
                     EXPECT_EQ(calls("cuGraphInstantiateWithFlags"), made);
                     EXPECT_EQ(calls("cuGraphLaunch"), launched + 16);
                     EXPECT_EQ(calls("cuLaunchKernel"), alone);
                     EXPECT_GT(calls("cuGraphExecKernelNodeSetParams"),
                               changed);
                     EXPECT_EQ(calls("cuModuleLoadDataEx"), 1);
                     for (const char *function : {"step", "look"}) {
                       EXPECT_EQ(device.numCalls(function, 0), 9u);
                       EXPECT_EQ(device.numCalls(function, 1), 3u);
                     }
                   }
                   EXPECT_EQ(leftOnDevice(), "");
                   return 0;
                 }),
        0);
}

} // namespace
