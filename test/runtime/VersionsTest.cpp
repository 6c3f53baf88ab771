// Tests the choice of a model's version. The runtime uses the CPU and the mask;
// a call without the runtime uses only the CPU.
#include "test/runtime/Session.h"
#include "test/runtime/hand_model.h"

extern "C" {
#include "runtime/core/core.h"
}

namespace tenon::test {
namespace {

/// The version of the hand-written model that a run is given on a machine with
/// the features `mask`, and its name from the runtime.
int32_t seen;
std::string chosenOn(uint64_t mask) {
  tenon_model_desc desc = tenon_model_hand;
  tenon_function_desc function = desc.functions[0];
  static auto run = function.run;
  function.run = [](tenon_call *call) {
    seen = call->version;
    return run(call);
  };
  desc.functions = &function;
  desc.num_functions = 1;
  tenon_open_options options = {};
  options.struct_size = sizeof options;
  options.cpu_feature_mask = mask;
  tenon_model *model;
  if (tenon_open_desc(&desc, &options, &model) != TENON_OK)
    return "none";
  std::string name = infoOf(model).version;
  tenon_context *context;
  EXPECT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
  MainCall call(2);
  EXPECT_EQ(call.run(context), TENON_OK);
  tenon_context_destroy(context);
  tenon_close(model);
  return name;
}

TEST(Versions, TheFirstThatRunsHere) {
  EXPECT_EQ(chosenOn(TENON_CPU_SSE42 | TENON_CPU_AVX), "tall");
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(chosenOn(TENON_CPU_SSE42 | TENON_CPU_AVX2), "small");
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(chosenOn(TENON_CPU_AVX), "none");
}

TEST(Versions, WhoOnlyDescribesRunsNone) {
  tenon_open_options options = {};
  options.struct_size = sizeof options;
  options.describe_only = 1;
  tenon_model *model;
  ASSERT_EQ(tenon_open_desc(&tenon_model_hand, &options, &model), TENON_OK);
  EXPECT_EQ(infoOf(model).version, nullptr);
  tenon_close(model);
}

TEST(Versions, InfoForAnOlderClient) {
  Session session;
  tenon_model_info info = {};
  const char *mine = "not written";
  info.struct_size = offsetof(tenon_model_info, version);
  info.version = mine;
  EXPECT_EQ(tenon_get_model_info(session.model, &info), TENON_OK);
  EXPECT_EQ(info.version, mine);
  EXPECT_EQ(info.cpu_features, uint64_t(TENON_CPU_SSE42));
}

TEST(Versions, WithoutTheRuntime) {
  const uint64_t nobodys = UINT64_C(1) << 63;
  const tenon_version_desc versions[] = {{"future", nobodys, 0, nullptr},
                                         {"large", TENON_CPU_SSE42, 0, nullptr},
                                         {"small", 0, 0, nullptr}};
  tenon_call call = {};
  EXPECT_EQ(tenon_core_version(&call, versions, 1), 0);
  EXPECT_EQ(call.fault.code, TENON_FAULT_CPU);
  EXPECT_EQ(call.fault.site, -1);
  EXPECT_EQ(uint64_t(call.fault.found), tenon_host_cpu_features());
  EXPECT_EQ(uint64_t(call.fault.low), nobodys);
  // A device version is never chosen here, but the caller may choose it.
  const tenon_device_desc device = {};
  const tenon_version_desc ofDevice[] = {versions[0], {"nvptx", 0, 0, &device}};
  call = {};
  EXPECT_EQ(tenon_core_version(&call, ofDevice, 2), 0);
  EXPECT_EQ(uint64_t(call.fault.low), nobodys);
  EXPECT_EQ(tenon_core_version(&call, ofDevice + 1, 1), 0);
  call.version = 2;
  EXPECT_EQ(tenon_core_version(&call, ofDevice, 2), 2);
  call = {};
  EXPECT_EQ(tenon_core_version(&call, versions, 3), 2);
  EXPECT_EQ(call.version, 2);
  EXPECT_EQ(call.fault.code, TENON_FAULT_NONE);
  // The caller's choice has priority if there is such a version.
  call.version = 3;
  EXPECT_EQ(tenon_core_version(&call, versions, 3), 3);
  call.version = 4;
  EXPECT_EQ(tenon_core_version(&call, versions, 3), 2);
  call.version = -1;
  EXPECT_EQ(tenon_core_version(&call, versions, 3), 2);
}

} // namespace
} // namespace tenon::test
