// Tests that a composite equals its decomposition: each composite is evaluated
// from its definition, then decomposed and evaluated again.
#include "test/oracle/GraphText.h"

#include "compiler/oracle/RandomTensor.h"

#include "mlir/IR/Verifier.h"

#include <cmath>

using namespace mlir;
using namespace tenon;

namespace {

struct Case {
  const char *name;
  std::string signature; ///< `(%x: tensor<..>, ..) -> tensor<..>`
  std::string op;        ///< computes %0
  llvm::SmallVector<llvm::SmallVector<int64_t>> shapes; ///< of the arguments
  std::string before = {};                              ///< text before the op
};

void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class DecompositionTest : public GraphText,
                          public testing::WithParamInterface<Case> {
protected:
  /// Replaces the composites of @main by their decompositions; returns their
  /// number.
  static int decomposeAll(func::FuncOp function) {
    llvm::SmallVector<CompositeOp> composites;
    function.walk([&](CompositeOp op) { composites.push_back(op); });
    for (CompositeOp op : composites) {
      OpBuilder builder(op);
      op->replaceAllUsesWith(op.decompose(builder));
      op->erase();
    }
    return composites.size();
  }
};

TEST_P(DecompositionTest, IsTheDefinition) {
  const Case &c = GetParam();
  std::string result = c.signature.substr(c.signature.rfind("->") + 3);
  auto function = parse("func.func @main" + c.signature + " {\n" + c.before +
                        "  %0 = " + c.op + "\n  return %0 : " + result + "\n}");
  RandomStream stream(42);
  std::vector<HostTensor> inputs;
  for (auto [i, shape] : llvm::enumerate(c.shapes)) {
    Type element = getElementTypeOrSelf(function.getArgument(i).getType());
    // The fifth operand of batch_norm is a variance.
    bool positive = i == 4;
    inputs.push_back(
        randomTensor(stream, element, shape, positive ? 0 : -4, 4));
  }
  if (std::string(c.name) == "softmax_infinite")
    inputs[0].floats[1] = -std::numeric_limits<double>::infinity();
  if (std::string(c.name) == "attention_without_keys")
    for (HostTensor *cache : {&inputs[1], &inputs[2]})
      cache->floats.assign(cache->floats.size(), std::nan(""));
  auto whole = evaluate(function, inputs);
  ASSERT_TRUE(bool(whole)) << llvm::toString(whole.takeError());
  ASSERT_EQ(decomposeAll(function), 1);
  ASSERT_TRUE(succeeded(verify(*module)));
  auto parts = evaluate(function, inputs);
  ASSERT_TRUE(bool(parts)) << llvm::toString(parts.takeError());
  const HostTensor &a = (*whole)[0], &b = (*parts)[0];
  ASSERT_EQ(a.shape, b.shape);
  for (int64_t i = 0; i < a.count(); ++i)
    if (std::isnan(a.floats[i]))
      EXPECT_TRUE(std::isnan(b.floats[i]));
    else
      // Constants of the decomposition are rounded to the element type (2^-24).
      EXPECT_NEAR(a.floats[i], b.floats[i],
                  1e-6 * (1 + std::fabs(a.floats[i])));
}

std::string normSignature(const char *x, const char *vector, int count) {
  std::string text = std::string("(%x: ") + x;
  for (int i = 0; i < count; ++i)
    text += std::string(", %v") + char('0' + i) + ": " + vector;
  return text + ") -> " + x;
}

std::vector<Case> cases() {
  const char *x = "tensor<3x5xf32>", *dynamic = "tensor<?x?xf32>";
  auto unary = [](const char *type) {
    return std::string("(%x: ") + type + ") -> " + type;
  };
  auto layer = [](const char *x, const char *v, const char *axis) {
    return std::string("tenon.layer_norm %x, %v0, %v1 axis ") + axis +
           " epsilon 1.0e-5 : (" + x + ", " + v + ", " + v + ") -> " + x;
  };
  auto batch = [](const char *x, const char *v, const char *dim) {
    return std::string("tenon.batch_norm %x, %v0, %v1, %v2, %v3 dim ") + dim +
           " epsilon 1.0e-3 : (" + x + ", " + v + ", " + v + ", " + v + ", " +
           v + ") -> " + x;
  };
  // Queries and result have rows before heads. The queries have twice as many
  // heads as the keys.
  auto attention = [](const char *masks, const char *q, const char *k,
                      const char *v, const char *more = "") {
    return std::string("tenon.attention %q, %k, %v") + masks +
           " order [0, 2, 1, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 2, 1, 3]"
           " scale 5.0e-01 : (" +
           q + ", " + k + ", " + v + more + ") -> " + q;
  };
  // Entries have lengths and offsets of their own, and the table names entries
  // of the keys, some outside them.
  std::string cached =
      "  %c = tenon.constant dense<[1, -1]> : tensor<2xi64>\n"
      "  %n = tenon.constant dense<[4, 9]> : tensor<2xi64>\n"
      "  %t = tenon.constant dense<[[0, 2, 1, 9, -4, 7, 1], [1, 1, 2, 0, 0, 2, "
      "-9]]> : tensor<2x7xi64>\n";
  const char *narrow = "tensor<3x2x7x3xbf16>",
             *openNarrow = "tensor<?x2x?x3xbf16>",
             *cacheTypes = ", tensor<2xi64>, tensor<2xi64>, tensor<2x7xi64>";
  auto signature = [](const char *q, const char *k, const char *v,
                      const char *more = "") {
    return std::string("(%q: ") + q + ", %k: " + k + ", %v: " + v + more +
           ") -> " + q;
  };
  const char *q = "tensor<2x5x4x3xf32>", *k = "tensor<2x2x7x3xf32>",
             *open = "tensor<?x?x4x3xf32>", *openKeys = "tensor<?x4x?x3xf32>",
             *mask = ", tensor<2x4x5x7xf32>", *bools = ", tensor<2x4x5x7xi1>";
  const char *one = "  %one = arith.constant 1 : index\n";
  auto over = [](const char *op, const char *dim, const char *type) {
    return std::string("tenon.") + op + " %x over " + dim + " : " + type;
  };
  return {
      {"softmax_rows", unary(x), over("softmax", "1", x), {{3, 5}}},
      {"softmax_columns", unary(x), over("softmax", "0", x), {{3, 5}}},
      {"softmax_infinite", unary(x), over("softmax", "1", x), {{3, 5}}},
      {"softmax_dynamic",
       unary(dynamic),
       over("softmax", "1", dynamic),
       {{2, 7}}},
      {"softmax_empty",
       unary(dynamic),
       over("softmax", "1", dynamic),
       {{2, 0}}},
      {"softmax_one", unary(dynamic), over("softmax", "1", dynamic), {{2, 1}}},
      {"log_softmax_rows", unary(x), over("log_softmax", "1", x), {{3, 5}}},
      {"log_softmax_columns", unary(x), over("log_softmax", "0", x), {{3, 5}}},
      {"log_softmax_dynamic",
       unary(dynamic),
       over("log_softmax", "0", dynamic),
       {{4, 1}}},
      {"layer_norm",
       normSignature(x, "tensor<5xf32>", 2),
       layer(x, "tensor<5xf32>", "1"),
       {{3, 5}, {5}, {5}}},
      {"layer_norm_whole",
       normSignature(x, x, 2),
       layer(x, x, "0"),
       {{3, 5}, {3, 5}, {3, 5}}},
      {"layer_norm_dynamic",
       normSignature(dynamic, "tensor<?xf32>", 2),
       layer(dynamic, "tensor<?xf32>", "1"),
       {{2, 6}, {6}, {6}}},
      {"layer_norm_no_rows",
       normSignature(dynamic, "tensor<?xf32>", 2),
       layer(dynamic, "tensor<?xf32>", "1"),
       {{0, 6}, {6}, {6}}},
      {"layer_norm_empty_rows",
       normSignature(dynamic, "tensor<?xf32>", 2),
       layer(dynamic, "tensor<?xf32>", "1"),
       {{3, 0}, {0}, {0}}},
      {"gelu", unary(x), std::string("tenon.gelu %x : ") + x, {{3, 5}}},
      {"gelu_tanh",
       unary(x),
       std::string("tenon.gelu %x tanh : ") + x,
       {{3, 5}}},
      {"gelu_scalar",
       unary("tensor<f64>"),
       "tenon.gelu %x : tensor<f64>",
       {{}}},
      {"batch_norm",
       normSignature(x, "tensor<5xf32>", 4),
       batch(x, "tensor<5xf32>", "1"),
       {{3, 5}, {5}, {5}, {5}, {5}}},
      {"attention",
       signature(q, k, k),
       attention("", q, k, k),
       {{2, 5, 4, 3}, {2, 2, 7, 3}, {2, 2, 7, 3}}},
      {"attention_mask",
       signature(q, k, k, ", %m: tensor<2x4x5x7xf32>"),
       attention(" mask %m", q, k, k, mask),
       {{2, 5, 4, 3}, {2, 2, 7, 3}, {2, 2, 7, 3}, {2, 4, 5, 7}}},
      {"attention_bools",
       signature(q, k, k, ", %m: tensor<2x4x5x7xi1>"),
       attention(" mask %m fill -1.0e+04", q, k, k, bools),
       {{2, 5, 4, 3}, {2, 2, 7, 3}, {2, 2, 7, 3}, {2, 4, 5, 7}}},
      {"attention_causal",
       signature(q, k, k),
       attention(" causal %one fill 0xFFF0000000000000", q, k, k, ", index"),
       {{2, 5, 4, 3}, {2, 2, 7, 3}, {2, 2, 7, 3}},
       one},
      {"attention_dynamic",
       signature(open, openKeys, openKeys),
       attention(" causal %one fill -3.0", open, openKeys, openKeys, ", index"),
       {{2, 5, 4, 3}, {2, 4, 7, 3}, {2, 4, 7, 3}},
       one},
      {"attention_cached",
       signature(q, narrow, narrow),
       attention(" causal %c lengths %n table %t fill -2.0", q, narrow, narrow,
                 cacheTypes),
       {{2, 5, 4, 3}, {3, 2, 7, 3}, {3, 2, 7, 3}},
       cached},
      {"attention_cached_dynamic",
       signature("tensor<?x?x4x3xf32>", openNarrow, openNarrow),
       attention(" lengths %n table %t", open, openNarrow, openNarrow,
                 ", tensor<2xi64>, tensor<2x7xi64>"),
       {{2, 5, 4, 3}, {3, 2, 7, 3}, {3, 2, 7, 3}},
       cached},
      {"attention_without_keys",
       signature(q, k, k),
       attention(" lengths %none", q, k, k, ", tensor<2xi64>"),
       {{2, 5, 4, 3}, {2, 2, 7, 3}, {2, 2, 7, 3}},
       "  %none = tenon.constant dense<[0, -3]> : tensor<2xi64>\n"},
      {"attention_flat",
       "(%q: tensor<5x3xf32>, %k: tensor<7x3xf32>, %v: tensor<7x2xf32>) -> "
       "tensor<2x5xf32>",
       "tenon.attention %q, %k, %v order [0, 1] x [0, 1] x [0, 1] to [1, 0]"
       " scale 1.0 : (tensor<5x3xf32>, tensor<7x3xf32>, tensor<7x2xf32>) -> "
       "tensor<2x5xf32>",
       {{5, 3}, {7, 3}, {7, 2}}},
      {"batch_norm_first",
       normSignature(dynamic, "tensor<?xf32>", 4),
       batch(dynamic, "tensor<?xf32>", "0"),
       {{3, 4}, {3}, {3}, {3}, {3}}},
  };
}

INSTANTIATE_TEST_SUITE_P(Composites, DecompositionTest,
                         testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case> &info) {
                           return std::string(info.param.name);
                         });

} // namespace
