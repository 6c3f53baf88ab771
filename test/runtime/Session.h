// Common parts of the tests of the runtime: an open hand-written model and a
// context on it.
#ifndef TENON_TEST_RUNTIME_SESSION_H
#define TENON_TEST_RUNTIME_SESSION_H

#include "test/runtime/Tensors.h"

#include <gtest/gtest.h>

#include <string>

namespace tenon::test {

/// The path of a built artifact: `hand.so`, `hand-abi.so`, ...
inline std::string artifact(const std::string &name) {
  return std::string(TENON_TEST_ARTIFACTS) + "/" + name;
}

inline tenon_model_info infoOf(const tenon_model *model) {
  tenon_model_info info = {};
  info.struct_size = sizeof info;
  EXPECT_EQ(tenon_get_model_info(model, &info), TENON_OK);
  return info;
}

/// A model and a context, closed in the right order.
struct Session {
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;

  explicit Session(const std::string &path = artifact("hand.so"),
                   int32_t threads = 2, tenon_context_options options = {}) {
    char text[1024] = "";
    tenon_open_options open = {};
    open.struct_size = sizeof open;
    open.error_text = text;
    open.error_text_bytes = sizeof text;
    open.threads = threads;
    EXPECT_EQ(tenon_open(path.c_str(), &open, &model), TENON_OK) << text;
    options.struct_size = sizeof options;
    EXPECT_EQ(tenon_context_create(model, &options, &context), TENON_OK);
  }
  Session(const Session &) = delete;
  ~Session() {
    EXPECT_EQ(tenon_context_destroy(context), TENON_OK);
    EXPECT_EQ(tenon_close(model), TENON_OK);
  }

  std::string text() const { return tenon_context_text(context); }

  /// Runs the function `series` on `count` equal numbers.
  std::vector<float> series(size_t count, float number) const {
    std::vector<float> x(count, number), y(count);
    std::vector<int64_t> dims{int64_t(count)}, yDims{0};
    tenon_tensor input = tensorOn(x, dims), output = tensorOn(y, yDims);
    EXPECT_EQ(tenon_run(context, "series", &input, 1, &output, 1), TENON_OK);
    return y;
  }
};

/// The inputs and the output of the function `main`.
struct MainCall {
  std::vector<float> a, b, y;
  std::vector<int64_t> aDims, bDims, yDims;

  explicit MainCall(int64_t rows)
      : aDims{rows, 4}, bDims{rows, 4}, yDims{0, 0} {
    for (int64_t i = 0; i < rows * 4; ++i) {
      a.push_back(float(i) + 1);
      b.push_back(2);
    }
    y.assign(size_t(rows) * 4, -1.f);
  }

  tenon_status run(tenon_context *context) {
    tenon_tensor inputs[] = {tensorOn(a, aDims), tensorOn(b, bDims)};
    tenon_tensor output = tensorOn(y, yDims);
    return tenon_run(context, "main", inputs, 2, &output, 1);
  }

  /// True if y is a * b + (0.5 1 1.5 2).
  bool isRight() const {
    for (size_t i = 0; i < y.size(); ++i)
      if (y[i] != a[i] * b[i] + 0.5f * float(i % 4 + 1))
        return false;
    return yDims == aDims;
  }
};

} // namespace tenon::test

#endif // TENON_TEST_RUNTIME_SESSION_H
