// Tests the argument checks of tenon_run. Good calls give right numbers. Each
// bad call is refused with a text that names the tensor, and the context works
// afterwards.
#include "test/runtime/Session.h"
#include "test/runtime/hand_model.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <xmmintrin.h>

using namespace tenon::test;

namespace {

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

/// Runs `main` with the caller's changes and expects a refusal with `part` in
/// the text. A good call must still work.
void expectRefused(Session &session, tenon_tensor *inputs, size_t numInputs,
                   tenon_tensor *outputs, size_t numOutputs,
                   const std::string &part) {
  EXPECT_EQ(tenon_run(session.context, "main", inputs, numInputs, outputs,
                      numOutputs),
            TENON_BAD_INPUT);
  EXPECT_TRUE(contains(session.text(), part)) << session.text();
  MainCall good(2);
  EXPECT_EQ(good.run(session.context), TENON_OK) << session.text();
  EXPECT_TRUE(good.isRight());
  EXPECT_EQ(session.text(), "");
}

TEST(Run, ComputesIntoTheCallersBuffer) {
  Session session;
  MainCall call(3);
  EXPECT_EQ(call.run(session.context), TENON_OK) << session.text();
  EXPECT_TRUE(call.isRight());
}

TEST(Run, AModelLinkedInTakesTheSamePath) {
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  ASSERT_EQ(tenon_open_desc(&tenon_model_hand, nullptr, &model), TENON_OK);
  ASSERT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
  MainCall call(8);
  EXPECT_EQ(call.run(context), TENON_OK);
  EXPECT_TRUE(call.isRight());
  EXPECT_EQ(tenon_close(model), TENON_BAD_INPUT) << "contexts keep it open";
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
  EXPECT_EQ(tenon_close(model), TENON_OK);
}

TEST(Run, OwnedOutputsLiveInTheContext) {
  Session session;
  tenon_tensor output = ownedOutput();
  for (int64_t rows : {1, 8, 0, 5}) {
    MainCall call(rows);
    tenon_tensor inputs[] = {tensorOn(call.b, call.bDims, "b"),
                             tensorOn(call.a, call.aDims, "a")};
    ASSERT_EQ(tenon_run(session.context, nullptr, inputs, 2, &output, 1),
              TENON_OK)
        << session.text();
    EXPECT_EQ(output.dtype, TENON_F32);
    ASSERT_EQ(output.rank, 2);
    EXPECT_EQ(output.dims[0], rows);
    EXPECT_EQ(output.dims[1], 4);
    EXPECT_EQ(output.bytes, size_t(rows) * 16);
    EXPECT_EQ(uintptr_t(output.data) % 64, 0u);
    if (rows > 0)
      std::memcpy(call.y.data(), output.data, output.bytes);
    call.yDims = {rows, 4};
    EXPECT_TRUE(call.isRight());
  }
}

TEST(Run, OneOutputServesFunctionsOfDifferentRank) {
  Session session;
  MainCall call(2);
  std::vector<int32_t> x{4, 0, 6};
  std::vector<int64_t> xDims{3};
  tenon_tensor pair[] = {tensorOn(call.a, call.aDims),
                         tensorOn(call.b, call.bDims)};
  tenon_tensor input = tensorOn(x, xDims), output = ownedOutput();
  for (int i = 0; i < 2; ++i) {
    output.dtype = 0;
    ASSERT_EQ(tenon_run(session.context, "main", pair, 2, &output, 1), TENON_OK)
        << session.text();
    EXPECT_EQ(output.rank, 2);
    output.dtype = 0;
    ASSERT_EQ(tenon_run(session.context, "nonzero", &input, 1, &output, 1),
              TENON_OK)
        << session.text();
    ASSERT_EQ(output.rank, 1);
    EXPECT_EQ(output.dims[0], 2);
    EXPECT_EQ(static_cast<int64_t *>(output.data)[1], 2);
  }
}

TEST(Run, TheRangeOfANamedExtent) {
  Session session;
  for (int64_t rows : {0, 1, 8}) {
    MainCall call(rows);
    EXPECT_EQ(call.run(session.context), TENON_OK) << rows;
    EXPECT_TRUE(call.isRight()) << rows;
  }
  for (int64_t rows : {int64_t(9), int64_t(-1), INT64_MIN, INT64_MAX}) {
    MainCall call(1);
    call.aDims[0] = call.bDims[0] = rows;
    EXPECT_EQ(call.run(session.context), TENON_BAD_INPUT) << rows;
    EXPECT_EQ(session.text(),
              "input \"a\": extent 0 (\"N\"): expected 0 to 8, "
              "got " +
                  std::to_string(rows) +
                  (rows < 0
                       ? ""
                       : "\nhelp: compile with --dim=N=MIN..MAX[:MULTIPLE] to "
                         "allow other sizes"));
  }
}

TEST(Run, EqualNamesAreEqualExtents) {
  Session session;
  MainCall call(4);
  call.bDims[0] = 3;
  EXPECT_EQ(call.run(session.context), TENON_BAD_INPUT);
  EXPECT_EQ(session.text(), "input \"b\": extent 0 (\"N\") is 3, but extent 0 "
                            "of input \"a\", of the same name, is 4");
}

TEST(Run, MultiplesAndLowerBounds) {
  Session session;
  std::vector<float> data(5);
  std::vector<int64_t> index{0}, dataDims{3}, indexDims{1};
  tenon_tensor inputs[] = {tensorOn(data, dataDims),
                           tensorOn(index, indexDims)};
  tenon_tensor output = ownedOutput();
  EXPECT_EQ(tenon_run(session.context, "pick", inputs, 2, &output, 1),
            TENON_BAD_INPUT);
  EXPECT_TRUE(
      contains(session.text(), "expected at least 2, a multiple of 2, got 3"));
  dataDims[0] = 0;
  EXPECT_EQ(tenon_run(session.context, "pick", inputs, 2, &output, 1),
            TENON_BAD_INPUT);
  EXPECT_TRUE(
      contains(session.text(), "expected at least 2, a multiple of 2, got 0"));
}

TEST(Run, WrongTensors) {
  Session session;
  MainCall call(2);
  tenon_tensor good[] = {tensorOn(call.a, call.aDims),
                         tensorOn(call.b, call.bDims)};
  tenon_tensor output = tensorOn(call.y, call.yDims);
  tenon_tensor in[2], out;
  auto reset = [&] {
    in[0] = good[0];
    in[1] = good[1];
    out = output;
  };
  reset();
  expectRefused(session, in, 1, &out, 1, "expected 2 inputs (\"a\", \"b\")");
  expectRefused(session, in, 3, &out, 1, "got 3");
  expectRefused(session, nullptr, 2, &out, 1, "null array");
  expectRefused(session, in, 2, &out, 0, "expected 1 outputs (\"y\"), got 0");
  expectRefused(session, in, 2, nullptr, 1, "null array");
  in[1].name = "c";
  expectRefused(session, in, 2, &out, 1, "input \"c\": no such name");
  in[1].name = "a";
  expectRefused(session, in, 2, &out, 1, "input \"a\": given twice");
  reset();
  in[1].dtype = TENON_I32;
  expectRefused(session, in, 2, &out, 1, "input \"b\": expected f32, got i32");
  in[1].dtype = -7;
  expectRefused(session, in, 2, &out, 1, "expected f32, got ?");
  reset();
  in[0].rank = 3;
  expectRefused(session, in, 2, &out, 1, "input \"a\": expected rank 2, got 3");
  in[0].rank = -1;
  expectRefused(session, in, 2, &out, 1, "expected rank 2, got -1");
  reset();
  in[0].dims = nullptr;
  expectRefused(session, in, 2, &out, 1, "null dims");
  reset();
  std::vector<int64_t> wide{2, 5};
  in[0].dims = wide.data();
  expectRefused(session, in, 2, &out, 1, "extent 1: expected 4, got 5");
  reset();
  in[1].bytes = 31;
  expectRefused(session, in, 2, &out, 1,
                "input \"b\": expected a buffer of 32 bytes, got 31");
  in[1].bytes = SIZE_MAX;
  expectRefused(session, in, 2, &out, 1, "input \"b\": expected a buffer");
  reset();
  in[0].data = nullptr;
  expectRefused(session, in, 2, &out, 1, "its data pointer is null");
  in[0].data = reinterpret_cast<char *>(call.a.data()) + 1;
  expectRefused(session, in, 2, &out, 1, "not aligned to 4 bytes (f32)");
  reset();
  out.dtype = TENON_F64;
  expectRefused(session, in, 2, &out, 1, "output \"y\": expected f32, got f64");
  reset();
  out.rank = 1;
  expectRefused(session, in, 2, &out, 1, "output \"y\": expected rank 2");
  reset();
  out.bytes = 28;
  expectRefused(session, in, 2, &out, 1,
                "output \"y\": expected a buffer of 32 bytes, got 28");
  reset();
  out.data = reinterpret_cast<char *>(call.y.data()) + 2;
  expectRefused(session, in, 2, &out, 1, "output \"y\": its data are not");
  reset();
  EXPECT_EQ(tenon_run(session.context, "nine", in, 2, &out, 1),
            TENON_BAD_INPUT);
  EXPECT_EQ(session.text(), "no function \"nine\"; the first one is \"main\"");
}

TEST(Run, SizesOfStructs) {
  Session session;
  MainCall call(2);
  tenon_tensor inputs[] = {tensorOn(call.a, call.aDims),
                           tensorOn(call.b, call.bDims)};
  tenon_tensor output = tensorOn(call.y, call.yDims);
  for (size_t size : {size_t(0), sizeof(tenon_tensor) - 8, size_t(4096)}) {
    inputs[1].struct_size = size;
    expectRefused(session, inputs, 2, &output, 1, "input 1: its struct_size");
  }
  // A newer client's tensors are longer; the fields that we know have their
  // offsets.
  struct Longer {
    tenon_tensor tensor;
    void *more;
  } longer[] = {{tensorOn(call.a, call.aDims), nullptr},
                {tensorOn(call.b, call.bDims), nullptr}};
  longer[0].tensor.struct_size = longer[1].tensor.struct_size = sizeof(Longer);
  EXPECT_EQ(
      tenon_run(session.context, "main", &longer[0].tensor, 2, &output, 1),
      TENON_OK)
      << session.text();
  EXPECT_TRUE(call.isRight());

  // Option bytes beyond the fields that we know must be zero.
  struct {
    tenon_context_options options;
    uint64_t more;
  } newer = {};
  tenon_context *context = nullptr;
  newer.options.struct_size = sizeof newer;
  EXPECT_EQ(tenon_context_create(session.model, &newer.options, &context),
            TENON_OK);
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
  newer.more = 1;
  EXPECT_EQ(tenon_context_create(session.model, &newer.options, &context),
            TENON_BAD_INPUT);
  EXPECT_EQ(context, nullptr);
  newer.options.struct_size = 8;
  EXPECT_EQ(tenon_context_create(session.model, &newer.options, &context),
            TENON_BAD_INPUT);
}

TEST(Run, NullHandles) {
  tenon_tensor output = ownedOutput();
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  EXPECT_EQ(tenon_run(nullptr, nullptr, nullptr, 0, &output, 1),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_open(nullptr, nullptr, &model), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_open("x", nullptr, nullptr), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_open_desc(nullptr, nullptr, &model), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_context_create(nullptr, nullptr, &context), TENON_BAD_INPUT);
  EXPECT_EQ(tenon_context_destroy(nullptr), TENON_OK);
  EXPECT_EQ(tenon_close(nullptr), TENON_OK);
  EXPECT_EQ(tenon_describe(nullptr), nullptr);
  EXPECT_EQ(tenon_find_function(nullptr, "main"), nullptr);
  EXPECT_STREQ(tenon_context_text(nullptr), "no context is given");
  tenon_cancel(nullptr);
}

TEST(Run, OverlapIsRefused) {
  Session session;
  MainCall call(2);
  std::vector<float> memory(64);
  tenon_tensor inputs[] = {tensorOn(call.a, call.aDims),
                           tensorOn(call.b, call.bDims)};
  tenon_tensor output = tensorOn(call.y, call.yDims);
  inputs[1].data = memory.data() + 8;
  for (int offset : {1, 7, 8, 9, 15}) {
    output.data = memory.data() + offset;
    EXPECT_EQ(tenon_run(session.context, "main", inputs, 2, &output, 1),
              TENON_BAD_INPUT);
    EXPECT_TRUE(contains(session.text(), "output \"y\""));
    EXPECT_TRUE(contains(session.text(), "input \"b\"")) << session.text();
  }
  for (int offset : {0, 16}) {
    output.data = memory.data() + offset;
    EXPECT_EQ(tenon_run(session.context, "main", inputs, 2, &output, 1),
              TENON_OK)
        << session.text();
  }
  // Two inputs may share one buffer.
  inputs[0].data = inputs[1].data;
  EXPECT_EQ(tenon_run(session.context, "main", inputs, 2, &output, 1),
            TENON_OK);
}

TEST(Run, AFaultNamesItsNode) {
  Session session;
  std::vector<float> data{1, 2, 3, 4};
  std::vector<int64_t> index{3, 0}, dataDims{4}, indexDims{2};
  tenon_tensor inputs[] = {tensorOn(data, dataDims),
                           tensorOn(index, indexDims)};
  tenon_tensor output = ownedOutput();
  for (int64_t bad : {int64_t(4), int64_t(-1), INT64_MIN, INT64_MAX}) {
    index[1] = bad;
    EXPECT_EQ(tenon_run(session.context, "pick", inputs, 2, &output, 1),
              TENON_BAD_INPUT);
    EXPECT_EQ(session.text(), "node \"look\\x1bup\" (Gather): index " +
                                  std::to_string(bad) +
                                  " is not allowed; expected 0 to 3");
  }
  index[1] = 1;
  ASSERT_EQ(tenon_run(session.context, "pick", inputs, 2, &output, 1),
            TENON_OK);
  EXPECT_EQ(static_cast<float *>(output.data)[0], 4);
  EXPECT_EQ(static_cast<float *>(output.data)[1], 2);
}

TEST(Run, BoundedOutputsShrink) {
  Session session;
  std::vector<int32_t> x{0, 5, 0, 7, 0};
  std::vector<int64_t> xDims{5}, at(5), atDims{-9};
  tenon_tensor input = tensorOn(x, xDims);
  tenon_tensor output = tensorOn(at, atDims);
  ASSERT_EQ(tenon_run(session.context, "nonzero", &input, 1, &output, 1),
            TENON_OK)
      << session.text();
  EXPECT_EQ(atDims[0], 2);
  EXPECT_EQ(at[0], 1);
  EXPECT_EQ(at[1], 3);
  EXPECT_EQ(output.bytes, 40u) << "the caller's capacity stays";
  tenon_tensor planned = ownedOutput();
  uint64_t arena = 77;
  ASSERT_EQ(
      tenon_plan(session.context, "nonzero", &input, 1, &planned, 1, &arena),
      TENON_OK);
  EXPECT_EQ(planned.dims[0], 5);
  EXPECT_EQ(planned.bytes, 40u);
  EXPECT_EQ(planned.data, nullptr);
  EXPECT_EQ(arena, 0u);
}

TEST(Run, TheArenaGrowsAndTheLimitHolds) {
  tenon_context_options options = {};
  options.memory_limit = (10 << 20) + 128; // 128 for the state
  Session session(artifact("hand.so"), 2, options);
  std::vector<int64_t> bytes{0}, none, sum(1);
  tenon_tensor input = tensorOn(bytes, none);
  tenon_tensor output = tensorOn(sum, none);
  auto run = [&](int64_t arena) {
    bytes[0] = arena;
    return tenon_run(session.context, "hoard", &input, 1, &output, 1);
  };
  for (int64_t arena : {1, 4096, 100000, 2 << 20, 5 << 20, 10 << 20, 64}) {
    EXPECT_EQ(run(arena), TENON_OK) << session.text();
    EXPECT_EQ(sum[0], (arena + 4095) / 4096);
  }
  EXPECT_EQ(run((10 << 20) + 1), TENON_LIMIT);
  EXPECT_EQ(session.text(), "the run needs 10485889 bytes of memory, the limit "
                            "is 10485888");
  EXPECT_EQ(run(-3), TENON_BAD_INPUT);
  EXPECT_TRUE(contains(session.text(), "got -3"));
  EXPECT_EQ(run(8192), TENON_OK);
}

TEST(Run, MemoryTheSystemDoesNotHave) {
  Session session;
  std::vector<int64_t> bytes{INT64_MAX}, none, sum(1);
  tenon_tensor input = tensorOn(bytes, none);
  tenon_tensor output = tensorOn(sum, none);
  EXPECT_EQ(tenon_run(session.context, "hoard", &input, 1, &output, 1),
            TENON_LIMIT);
  EXPECT_TRUE(contains(session.text(), "9223372036854775807"))
      << session.text();
  bytes[0] = 1;
  EXPECT_EQ(tenon_run(session.context, "hoard", &input, 1, &output, 1),
            TENON_OK);
}

TEST(Run, NonFiniteInputsPassThrough) {
  Session session;
  MainCall call(1);
  call.a = {std::nanf(""), std::numeric_limits<float>::infinity(), 1e-42f, 0};
  ASSERT_EQ(call.run(session.context), TENON_OK);
  EXPECT_TRUE(std::isnan(call.y[0]));
  EXPECT_TRUE(std::isinf(call.y[1]));
}

TEST(Run, TheHostsFloatingPointStateIsLeftAlone) {
  Session session(artifact("hand.so"), 1);
  std::vector<float> x(64, 1e-19f), expected(64), y(64);
  std::vector<int64_t> dims{64}, yDims{0};
  tenon_tensor input = tensorOn(x, dims);
  tenon_tensor first = tensorOn(expected, yDims), again = tensorOn(y, yDims);
  ASSERT_EQ(tenon_run(session.context, "series", &input, 1, &first, 1),
            TENON_OK);
  ASSERT_TRUE(expected[0] > 0 && expected[0] < 1e-38f) << "a denormal";
  unsigned host = _mm_getcsr();
  // Flush to zero, denormals are zero, round up, unmask division by zero.
  unsigned odd = ((host | 0x8040u) & ~0x6000u & ~0x200u) | 0x4000u;
  _mm_setcsr(odd);
  tenon_status status =
      tenon_run(session.context, "series", &input, 1, &again, 1);
  unsigned after = _mm_getcsr();
  _mm_setcsr(host);
  EXPECT_EQ(status, TENON_OK);
  EXPECT_EQ(after, odd);
  EXPECT_EQ(std::memcmp(expected.data(), y.data(), 64 * sizeof(float)), 0);
}

TEST(Describe, GivesTheModelsTables) {
  Session session;
  const tenon_model_desc *desc = tenon_describe(session.model);
  EXPECT_STREQ(desc->name, "hand");
  const tenon_function_desc *pick = tenon_find_function(session.model, "pick");
  ASSERT_NE(pick, nullptr);
  EXPECT_STREQ(pick->inputs[0].dims[0].name, "M");
  EXPECT_EQ(pick->inputs[0].dims[0].multiple, 2);
  EXPECT_EQ(tenon_find_function(session.model, nullptr), &desc->functions[0]);
  tenon_model_info info = {};
  EXPECT_EQ(tenon_get_model_info(session.model, &info), TENON_BAD_INPUT);
  info.struct_size = sizeof info;
  ASSERT_EQ(tenon_get_model_info(session.model, &info), TENON_OK);
  EXPECT_EQ(info.threads, 2);
  EXPECT_EQ(info.weight_bytes, 16u);
  EXPECT_NE(info.artifact_hash, 0u);
  EXPECT_TRUE(contains(info.path, "/hand.so"));
}

TEST(Describe, NamesOfThings) {
  EXPECT_STREQ(tenon_dtype_name(TENON_BF16), "bf16");
  EXPECT_EQ(tenon_dtype_bytes(TENON_BF16), 2u);
  EXPECT_EQ(tenon_dtype_bytes(TENON_BOOL), 1u);
  EXPECT_STREQ(tenon_dtype_name(0), "?");
  EXPECT_STREQ(tenon_dtype_name(14), "?");
  EXPECT_STREQ(tenon_cpu_feature_name(TENON_CPU_AVX512FP16), "avx512fp16");
  EXPECT_STREQ(tenon_cpu_feature_name(TENON_CPU_AVXVNNI), "avxvnni");
  EXPECT_EQ(tenon_cpu_feature_name(0), nullptr);
  EXPECT_STREQ(tenon_status_name(TENON_CANCELLED), "cancelled");
  EXPECT_STREQ(tenon_status_name(tenon_status(99)), "unknown status");
  EXPECT_EQ(tenon_abi_version(), TENON_ABI_VERSION);
}

} // namespace
