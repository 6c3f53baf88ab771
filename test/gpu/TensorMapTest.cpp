// The stand-in's maps of tensors: what it refuses, and a copy by one.
#include "test/gpu/emulator/TensorMap.h"
#include "test/gpu/driver/TensorMapApi.h"

#include <gtest/gtest.h>
#include <vector>

namespace {
struct Arguments {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  uint32_t rank = 2;
  uint64_t extents[5] = {64, 64, 2, 2, 2},
           strides[4] = {128, 8192, 16384, 32768};
  uint32_t box[5] = {64, 16, 1, 1, 1}, steps[5] = {1, 1, 1, 1, 1};
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  uint64_t offset = 0;
};

class TensorMaps : public testing::Test {
protected:
  void SetUp() override {
    setenv("TENON_GPU_SM", "90", 1);
    setenv("TENON_GPU_REPORT", "/dev/null", 1);
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext context;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&memory, 65536), CUDA_SUCCESS);
  }
  void TearDown() override {
    cuMemFree_v2(memory);
    cuCtxPopCurrent_v2(nullptr);
    cuDevicePrimaryCtxRelease_v2(0);
  }
  CUresult encode(const Arguments &of, CUtensorMap *to) {
    return cuTensorMapEncodeTiled(
        to, of.type, of.rank, reinterpret_cast<void *>(memory + of.offset),
        of.extents, of.strides, of.box, of.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
        of.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  }
  template <typename Change> CUresult changed(Change change) {
    Arguments of;
    change(of);
    CUtensorMap map;
    return encode(of, &map);
  }
  CUdeviceptr memory = 0;
};

TEST_F(TensorMaps, RulesOfTheDriver) {
  EXPECT_EQ(changed([](Arguments &) {}), CUDA_SUCCESS);
  EXPECT_EQ(changed([](Arguments &of) { of.rank = 5; }), CUDA_SUCCESS);
  auto refuses = [&](auto change) {
    EXPECT_EQ(changed(change), CUDA_ERROR_INVALID_VALUE);
  };
  refuses([](Arguments &of) { of.rank = 0; });
  refuses([](Arguments &of) { of.rank = 6; });
  refuses([](Arguments &of) { of.offset = 8; });
  refuses([](Arguments &of) { of.extents[1] = 0; });
  refuses([](Arguments &of) { of.strides[0] = 136; });
  refuses([](Arguments &of) { of.strides[0] = uint64_t(1) << 40; });
  refuses([](Arguments &of) { of.box[1] = 0; });
  refuses([](Arguments &of) { of.box[1] = 257; });
  refuses([](Arguments &of) { of.box[1] = 65537; });
  refuses([](Arguments &of) { of.box[0] = 12; });
  refuses([](Arguments &of) { of.box[0] = 128; });
  refuses([](Arguments &of) { of.steps[1] = 2; });
  refuses([](Arguments &of) { of.swizzle = CU_TENSOR_MAP_SWIZZLE_64B; });
  refuses([](Arguments &of) { of.type = CUtensorMapDataType(11); });
  alignas(64) unsigned char bytes[256];
  EXPECT_EQ(encode({}, reinterpret_cast<CUtensorMap *>(bytes + 32)),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(TensorMaps, CopiesByThem) {
  const char *text = R"(.version 8.0
.target sm_90
.address_size 64
.shared .align 1024 .b8 s[2048];
.shared .align 8 .b8 bar[8];
.visible .entry k(.param .u64 q, .param .align 64 .b8 m[128]) {
.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<8>;
mov.b64 %d1, m; cvta.param.u64 %d1, %d1; ld.param.u64 %d2, [q];
mov.b32 %r1, 8;
mbarrier.init.shared.b64 [bar], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 2048;
cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], [%d1, {%r1, %r1}], [bar];
W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
@!%p1 bra.uni W;
mov.u64 %d3, s; ld.shared.u16 %r2, [%d3+144];
st.global.u16 [%d2], %r2;
ret; })";
  std::vector<uint16_t> values(64 * 64);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = uint16_t(i);
  ASSERT_EQ(cuMemcpyHtoDAsync_v2(memory, values.data(), 8192, nullptr),
            CUDA_SUCCESS);
  CUtensorMap map;
  ASSERT_EQ(encode({}, &map), CUDA_SUCCESS);
  CUmodule module;
  CUfunction function;
  ASSERT_EQ(cuModuleLoadDataEx(&module, text, 0, nullptr, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  CUdeviceptr to = memory + 32768;
  void *parameters[] = {&to, &map};
  ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters,
                           nullptr),
            CUDA_SUCCESS);
  uint16_t got = 0;
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(&got, to, 2, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  // Row 1, piece 1, where swizzling puts piece 0.
  EXPECT_EQ(got, values[9 * 64 + 8]);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}
} // namespace
