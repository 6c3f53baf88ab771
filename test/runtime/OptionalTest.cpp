// Tests optional inputs and the ranges of elements: runs that leave inputs out,
// values that are refused, the queries, and tables of a damaged artifact.
#include "test/runtime/Session.h"
#include "test/runtime/hand_model.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace tenon::test;

namespace {

/// The arguments of `blend`: y = x * steps * factor + the sum of `extra` + the
/// rows of `allowed`.
struct Blend {
  std::vector<float> x{2, 4}, factor{1};
  std::vector<int64_t> steps{1}, extra{1, 2, 3}, xDims{2}, scalar, extraDims{3},
      y{};
  tenon_tensor output = ownedOutput();

  std::vector<float> run(Session &session, std::vector<tenon_tensor> inputs) {
    EXPECT_EQ(status(session, std::move(inputs)), TENON_OK) << session.text();
    auto *values = static_cast<float *>(output.data);
    return {values, values + output.dims[0]};
  }
  tenon_status status(Session &session, std::vector<tenon_tensor> inputs) {
    output = ownedOutput();
    return tenon_run(session.context, "blend", inputs.data(), inputs.size(),
                     &output, 1);
  }
  tenon_tensor onX() { return tensorOn(x, xDims, "x"); }
  tenon_tensor onSteps() { return tensorOn(steps, scalar, "steps"); }
  tenon_tensor onFactor() { return tensorOn(factor, scalar, "factor"); }
  tenon_tensor onExtra() { return tensorOn(extra, extraDims, "extra"); }
};

using Floats = std::vector<float>;

TEST(Optional, InputsThatAreLeftOutHaveTheirDefaults) {
  Session session;
  Blend blend;
  EXPECT_EQ(blend.run(session, {blend.onX()}), (Floats{15, 18}));
  EXPECT_EQ(blend.run(session, {blend.onSteps(), blend.onX()}),
            (Floats{13, 14}));
  EXPECT_EQ(blend.run(session, {blend.onExtra(), blend.onX()}),
            (Floats{9, 12}));
  EXPECT_EQ(blend.run(session, {blend.onX(), blend.onSteps(), blend.onFactor(),
                                blend.onExtra()}),
            (Floats{8, 10}));
  // By position: the first two inputs.
  tenon_tensor x = blend.onX(), steps = blend.onSteps();
  x.name = steps.name = nullptr;
  EXPECT_EQ(blend.run(session, {x, steps}), (Floats{13, 14}));
  // Tensors that say nothing.
  tenon_tensor none = ownedOutput(), named = ownedOutput();
  named.name = "factor";
  EXPECT_EQ(blend.run(session, {x, none, named, none, none}), (Floats{15, 18}));
}

TEST(Optional, AnEmptyValueIsAValue) {
  Session session;
  Blend blend;
  blend.extra.clear();
  blend.extraDims = {0};
  tenon_tensor extra = blend.onExtra();
  extra.data = nullptr;
  EXPECT_EQ(blend.run(session, {blend.onX(), extra}), (Floats{3, 6}));
}

TEST(Optional, APlanTakesDefaultsToo) {
  Session session;
  Blend blend;
  tenon_tensor x = blend.onX(), output = ownedOutput();
  ASSERT_EQ(tenon_plan(session.context, "blend", &x, 1, &output, 1, nullptr),
            TENON_OK)
      << session.text();
  EXPECT_EQ(output.dims[0], 2);
}

TEST(Optional, WhatCannotBeLeftOut) {
  Session session;
  Blend blend;
  auto expectText = [&](std::vector<tenon_tensor> inputs,
                        const std::string &text) {
    EXPECT_EQ(blend.status(session, std::move(inputs)), TENON_BAD_INPUT);
    EXPECT_EQ(session.text(), text);
    EXPECT_EQ(blend.run(session, {blend.onX()}), (Floats{15, 18}));
  };
  const std::string names =
      " (\"x\", \"steps\", \"factor\", \"extra\", \"allowed\")";
  expectText({}, "expected 1 to 5 inputs" + names + ", got 0");
  expectText({6, blend.onX()}, "expected 1 to 5 inputs" + names + ", got 6");
  expectText({blend.onSteps()}, "input \"x\": no tensor is given for it");
  tenon_tensor nothing = ownedOutput();
  expectText({nothing, blend.onSteps()}, "input \"x\": expected f32, got ?");
  tenon_tensor typed = blend.onSteps();
  typed.data = nullptr;
  expectText({blend.onX(), typed}, "input \"steps\": its data pointer is null");
  typed = blend.onSteps();
  typed.dtype = 0;
  expectText({blend.onX(), typed}, "input \"steps\": expected i64, got ?");
}

TEST(Optional, ValuesOutsideTheRange) {
  Session session;
  Blend blend;
  auto expectText = [&](const tenon_tensor &tensor, const std::string &text) {
    EXPECT_EQ(blend.status(session, {blend.onX(), tensor}), TENON_BAD_INPUT);
    EXPECT_EQ(session.text(),
              "input \"" + std::string(tensor.name) + "\": " + text);
    EXPECT_EQ(blend.run(session, {blend.onX()}), (Floats{15, 18}));
  };
  for (int64_t good : {1, 64}) {
    blend.steps[0] = good;
    EXPECT_EQ(blend.status(session, {blend.onX(), blend.onSteps()}), TENON_OK);
  }
  for (int64_t bad : {int64_t(0), int64_t(65), INT64_MIN, INT64_MAX}) {
    blend.steps[0] = bad;
    expectText(blend.onSteps(), "expected 1 to 64, got " + std::to_string(bad));
  }
  for (float good :
       {0.f, -0.f, 1.f, std::numeric_limits<float>::denorm_min()}) {
    blend.factor[0] = good;
    EXPECT_EQ(blend.status(session, {blend.onX(), blend.onFactor()}), TENON_OK);
  }
  const float infinity = std::numeric_limits<float>::infinity();
  for (auto [bad, text] : {std::pair(1.5f, "1.5"),
                           {-0.1f, "-0.1"},
                           {infinity, "inf"},
                           {-infinity, "-inf"},
                           {NAN, "nan"},
                           {-NAN, "nan"},
                           {std::nextafter(1.f, 2.f), "1.0000001"}}) {
    blend.factor[0] = bad;
    expectText(blend.onFactor(), std::string("expected 0 to 1, got ") + text);
  }
  blend.extra = {4, 0, -3};
  expectText(blend.onExtra(), "element 2: expected at least 0, got -3");
}

TEST(Optional, ARefusalComesBeforeThePlan) {
  Session session;
  Blend blend;
  blend.steps[0] = 65;
  tenon_tensor inputs[] = {blend.onX(), blend.onSteps()};
  tenon_tensor output = ownedOutput();
  EXPECT_EQ(
      tenon_plan(session.context, "blend", inputs, 2, &output, 1, nullptr),
      TENON_BAD_INPUT);
  EXPECT_EQ(output.dims, nullptr);
}

TEST(Optional, Queries) {
  Session session;
  tenon_tensor value = ownedOutput();
  ASSERT_EQ(tenon_get_default(session.model, "blend", "extra", &value),
            TENON_OK);
  EXPECT_EQ(value.dtype, TENON_I64);
  ASSERT_EQ(value.rank, 1);
  EXPECT_EQ(value.dims[0], 2);
  ASSERT_EQ(value.bytes, 16u);
  EXPECT_EQ(static_cast<int64_t *>(value.data)[1], 7);
  EXPECT_EQ(tenon_get_default(session.model, "blend", "x", &value),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_default(session.model, "blend", "none", &value),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_default(session.model, "none", "x", &value),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_default(session.model, "blend", nullptr, &value),
            TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_default(nullptr, "blend", "extra", &value),
            TENON_BAD_INPUT);
  value.struct_size = 8;
  EXPECT_EQ(tenon_get_default(session.model, "blend", "extra", &value),
            TENON_BAD_INPUT);

  tenon_number least, greatest;
  ASSERT_EQ(tenon_get_range(session.model, "blend", "steps", &least, &greatest),
            TENON_OK);
  EXPECT_EQ(least.integer, 1);
  EXPECT_EQ(greatest.integer, 64);
  ASSERT_EQ(
      tenon_get_range(session.model, "blend", "factor", &least, &greatest),
      TENON_OK);
  EXPECT_EQ(least.real, 0);
  EXPECT_EQ(greatest.real, 1);
  EXPECT_EQ(
      tenon_get_range(session.model, "blend", "allowed", &least, &greatest),
      TENON_BAD_INPUT);
  EXPECT_EQ(tenon_get_range(session.model, "main", "a", nullptr, nullptr),
            TENON_BAD_INPUT);
}

/// Opens the function `blend` with one changed input and tells if the model is
/// refused.
bool isRefused(const char *name,
               const std::function<void(tenon_tensor_desc &)> &change) {
  tenon_model_desc desc = tenon_model_hand;
  tenon_function_desc function = desc.functions[desc.num_functions - 1];
  EXPECT_STREQ(function.name, "blend");
  std::vector<tenon_tensor_desc> inputs(function.inputs, function.inputs + 5);
  function.inputs = inputs.data();
  desc.functions = &function;
  desc.num_functions = 1;
  tenon_model *model;
  EXPECT_EQ(tenon_open_desc(&desc, nullptr, &model), TENON_OK);
  tenon_close(model);
  for (tenon_tensor_desc &input : inputs)
    if (std::string(input.name) == name)
      change(input);
  tenon_status status = tenon_open_desc(&desc, nullptr, &model);
  tenon_close(model);
  return status == TENON_BAD_ARTIFACT;
}

TEST(Optional, DamagedTables) {
#define REFUSED(NAME, CHANGE)                                                  \
  EXPECT_TRUE(isRefused(NAME, [](tenon_tensor_desc &t) { CHANGE; })) << #CHANGE
  static const int64_t negative[] = {-1}, huge[] = {INT64_MAX}, three[] = {3};
  static const int64_t above = 65;
  static const float nan = NAN;
  alignas(8) static float later = 0.5f;
  REFUSED("x", t.flags = 8);
  REFUSED("x", t.flags = -1);
  REFUSED("x", t.flags = TENON_INPUT_OPTIONAL);
  REFUSED("extra", t.default_dims = nullptr);
  REFUSED("extra", t.default_dims = negative);
  REFUSED("extra", t.default_dims = huge);
  REFUSED("extra", t.default_dims = three);
  REFUSED("extra", t.default_bytes = 8);
  REFUSED("extra", t.default_bytes = UINT64_MAX);
  REFUSED("extra", t.default_data = nullptr);
  REFUSED("steps",
          t.default_data = static_cast<const char *>(t.default_data) + 4);
  REFUSED("steps", t.default_data = &above);
  REFUSED("factor", t.default_data = &nan);
  REFUSED("steps", t.least.integer = 65);
  REFUSED("factor", t.least.real = NAN);
  REFUSED("factor", t.greatest.real = NAN);
  REFUSED("factor", t.greatest.real = -1);
  REFUSED("allowed", t.flags |= TENON_INPUT_RANGE);
  // A default beyond the limit, with sizes that agree.
  static const int64_t many[] = {(1 << 17) + 1};
  static int64_t zeros[(1 << 17) + 1];
  REFUSED("extra", t.default_dims = many; t.default_data = zeros;
          t.default_bytes = sizeof zeros);
#undef REFUSED
  // A good change is accepted.
  EXPECT_FALSE(isRefused(
      "factor", [](tenon_tensor_desc &t) { t.default_data = &later; }));
}

/// A default is refused like a value if its extents do not fit the model.
TEST(Optional, ADefaultMustFitTheExtents) {
  tenon_model_desc desc = tenon_model_hand;
  tenon_function_desc function = desc.functions[desc.num_functions - 1];
  std::vector<tenon_tensor_desc> inputs(function.inputs, function.inputs + 5);
  tenon_dim_desc dim = inputs[3].dims[0];
  dim.min = 3;
  inputs[3].dims = &dim;
  function.inputs = inputs.data();
  desc.functions = &function;
  desc.num_functions = 1;
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  ASSERT_EQ(tenon_open_desc(&desc, nullptr, &model), TENON_OK);
  ASSERT_EQ(tenon_context_create(model, nullptr, &context), TENON_OK);
  Blend blend;
  tenon_tensor x = blend.onX(), output = ownedOutput();
  EXPECT_EQ(tenon_run(context, "blend", &x, 1, &output, 1), TENON_BAD_INPUT);
  EXPECT_EQ(std::string(tenon_context_text(context)).substr(0, 55),
            "input \"extra\": extent 0 (\"E\"): expected 3 to 4, got 2\nh");
  EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
  EXPECT_EQ(tenon_close(model), TENON_OK);
}

TEST(Optional, OutputsHaveNoFlags) {
  tenon_model_desc desc = tenon_model_hand;
  tenon_function_desc function = desc.functions[0];
  tenon_tensor_desc output = function.outputs[0];
  output.flags = TENON_INPUT_OPTIONAL;
  function.outputs = &output;
  desc.functions = &function;
  desc.num_functions = 1;
  tenon_model *model = nullptr;
  EXPECT_EQ(tenon_open_desc(&desc, nullptr, &model), TENON_BAD_ARTIFACT);
}

} // namespace
