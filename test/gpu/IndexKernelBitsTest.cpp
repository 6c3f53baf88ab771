// Kernels that sort, count and scatter have the CPU's bits at sizes around
// their blocks: sorts and first elements of every type, along every dimension,
// with ties, NaN and both zeros; nonzero elements; prefixes; scatters with
// repeated and missing places; suppression of boxes.
#include "test/gpu/KernelModule.h"

namespace tenon::test {

namespace {
using Dims = std::vector<int64_t>;

/// The elements of an input in another type.
std::string converted(Module &module, const std::string &input,
                      const Dims &dims, const char *from, const char *to) {
  return module.value("tenon.convert " + input + " to " + to + " : (" +
                      tensorType(dims, from) + ") -> " + tensorType(dims, to));
}

/// Floats with odd numbers, or integers with many equal ones, of any type.
std::string elements(Module &module, const Dims &dims,
                     const std::string &type) {
  const char *name = type.c_str();
  if (type == "f32" || type == "f64" || type == "f16" || type == "bf16")
    return module.floats(dims, name,
                         {nan, -nan, infinity, -infinity, 0.0f, -0.0f, 1e-40f});
  std::string numbers = module.integers(dims, -1000000000, 1000000000);
  return type == "i64" ? numbers
                       : converted(module, numbers, dims, "i64", name);
}

void addSort(Module &module, const Dims &dims, int64_t dim, const char *type,
             bool descending = false) {
  std::string tensor = tensorType(dims, type);
  module.pair("tenon.sort " + elements(module, dims, type) + " dim " +
                  std::to_string(dim) + (descending ? " descending" : "") +
                  " : (" + tensor + ")",
              tensor, tensorType(dims, "i64"));
}

void addTop(Module &module, const Dims &dims, int64_t dim, const char *type,
            int64_t wanted, bool ascending = false) {
  Dims some = dims;
  some[size_t(dim)] = wanted;
  std::string count =
      module.value("arith.constant " + std::to_string(wanted) + " : index");
  module.pair("tenon.top_k " + elements(module, dims, type) + " first " +
                  count + " dim " + std::to_string(dim) +
                  (ascending ? " ascending" : "") + " : (" +
                  tensorType(dims, type) + ", index)",
              tensorType(some, type), tensorType(some, "i64"));
}

const char *const types[] = {"f32", "f64", "f16", "bf16", "i8",   "i16",
                             "i32", "i64", "ui8", "ui16", "ui32", "ui64"};

TEST_F(KernelBits, SortsOfEachType) {
  Module module;
  for (const char *type : types) {
    addSort(module, {2, 300}, 1, type);
    addSort(module, {300}, 0, type, true);
  }
  expectBits(module);
}

TEST_F(KernelBits, SortsAtSizesAroundBlocks) {
  Module module;
  for (int64_t width : {1, 63, 64, 255, 256, 257, 511, 2000})
    addSort(module, {3, width}, 1, "f32", width % 2);
  addSort(module, {300, 3}, 0, "f32");
  addSort(module, {2, 500, 3}, 1, "i64", true);
  addSort(module, {70, 65}, 0, "f16");
  expectBits(module);
}

TEST_F(KernelBits, FirstElementsOfEachType) {
  Module module;
  for (const char *type : types) {
    addTop(module, {2, 300}, 1, type, 20);
    addTop(module, {300, 2}, 0, type, 70, true);
    addTop(module, {300, 9}, 1, type, 3);
  }
  expectBits(module);
}

TEST_F(KernelBits, FirstElementsAtSizesAroundBlocks) {
  Module module;
  for (int64_t wanted : {1, 2, 255, 256, 257, 1000})
    addTop(module, {2, 1000}, 1, "f32", wanted, wanted % 2);
  for (int64_t width : {64, 255, 256, 257, 5000})
    addTop(module, {width, 2}, 0, "i64", 60, width % 2);
  addTop(module, {2, 3000}, 1, "i8", 700);
  expectBits(module);
}

void addNonzero(Module &module, const Dims &dims) {
  std::string input = module.floats(dims, "f32"), zeros, all, open = "[";
  // About half of the elements.
  std::string chosen = module.integers(dims, 0, 1),
              bits = converted(module, chosen, dims, "i64", "f32");
  std::string type = tensorType(dims, "f32"),
              product =
                  module.value("tenon.multiply " + input + ", " + bits +
                               " : (" + type + ", " + type + ") -> " + type);
  for (size_t d = 0; d < dims.size(); ++d)
    all += (d ? ", " : "") + std::to_string(d);
  std::string sum =
      module.value("tenon.reduce add " + chosen + " over [" + all + "] : (" +
                   tensorType(dims, "i64") + ") -> tensor<i64>");
  std::string count =
                  module.value("tensor.extract " + sum + "[] : tensor<i64>"),
              index =
                  module.value("arith.index_cast " + count + " : i64 to index");
  std::string result = "tensor<?x" + std::to_string(dims.size()) + "xi64>";
  module.result("tenon.nonzero " + product + " count " + index + " : (" + type +
                    ", index) -> " + result,
                result);
}

TEST_F(KernelBits, NonzeroElements) {
  Module module;
  for (int64_t count : {1, 255, 256, 257, 700, 5000})
    addNonzero(module, {count});
  addNonzero(module, {30, 40});
  addNonzero(module, {3, 50, 7});
  expectBits(module);
}

TEST_F(KernelBits, Prefixes) {
  Module module;
  auto addScan = [&](const Dims &dims, int64_t dim, const char *type,
                     const std::string &kind, const std::string &flags) {
    std::string tensor = tensorType(dims, type);
    module.result("tenon.cumulative " + kind + " " +
                      elements(module, dims, type) + " over " +
                      std::to_string(dim) + flags + " : " + tensor,
                  tensor);
  };
  for (const char *type : {"i8", "i16", "i32", "i64", "ui8", "ui32", "ui64"})
    for (const char *kind : {"add", "multiply", "maximum", "minimum"})
      addScan({2, 300}, 1, type, kind, "");
  for (int64_t width : {127, 128, 255, 256, 257, 3000}) {
    addScan({3, width}, 1, "i64", "add", " exclusive");
    addScan({width, 3}, 0, "i32", "add", " reverse");
  }
  addScan({2, 500, 3}, 1, "i64", "maximum", " exclusive reverse");
  addScan({2, 300}, 1, "f32", "add", "");
  expectBits(module);
}

/// Updates of rows with `width` columns, some of them outside the operand.
void addScatter(Module &module, const std::string &kind, int64_t rows,
                int64_t updates, int64_t width, const char *type,
                bool computed = false) {
  Dims operand = {rows, width}, update = {updates, width};
  std::string values = elements(module, operand, type);
  if (computed)
    values = module.value("tenon.negate " + values + " : (" +
                          tensorType(operand, type) + ") -> " +
                          tensorType(operand, type));
  std::string places = module.integers({updates, 1}, -1, rows),
              result = tensorType(operand, type);
  module.result("tenon.scatter " + kind + " " + values + ", " + places + ", " +
                    elements(module, update, type) +
                    " window_dims [1] inserted [0] batching [] x [] map [0] "
                    "vector_dim 1 : (" +
                    result + ", " + tensorType({updates, 1}, "i64") + ", " +
                    tensorType(update, type) + ") -> " + result,
                result);
}

TEST_F(KernelBits, Scatters) {
  Module module;
  for (const char *kind : {"set", "add", "multiply", "maximum", "minimum"})
    for (const char *type : {"f32", "i64", "f16"})
      addScatter(module, kind, 20, 90, 5, type);
  for (int64_t rows : {1, 70, 1000})
    for (int64_t width : {1, 30, 300})
      addScatter(module, "add", rows, 200, width, "f32", width == 30);
  addScatter(module, "set", 300, 0, 4, "f32");
  addScatter(module, "set", 20000, 3000, 1, "i32");
  expectBits(module);
}

TEST_F(KernelBits, ScattersInBatches) {
  Module module;
  std::string x = module.floats({3, 50, 4}, "f32"),
              i = module.integers({3, 80, 2}, -1, 50),
              u = module.floats({3, 80}, "f32");
  std::string type = tensorType({3, 50, 4}, "f32");
  module.result("tenon.scatter add " + x + ", " + i + ", " + u +
                    " window_dims [] inserted [1, 2] batching [0] x [0] map "
                    "[1, 2] vector_dim 2 : (" +
                    type + ", " + tensorType({3, 80, 2}, "i64") + ", " +
                    tensorType({3, 80}, "f32") + ") -> " + type,
                type);
  // Windows that overlap.
  std::string starts = module.integers({40, 1}, 0, 70),
              windows = module.floats({40, 9}, "f32"),
              line = module.floats({75}, "f32");
  module.result(
      "tenon.scatter add " + line + ", " + starts + ", " + windows +
          " window_dims [1] inserted [] batching [] x [] map [0] "
          "vector_dim 1 : (" +
          tensorType({75}, "f32") + ", " + tensorType({40, 1}, "i64") + ", " +
          tensorType({40, 9}, "f32") + ") -> " + tensorType({75}, "f32"),
      tensorType({75}, "f32"));
  expectBits(module);
}

/// Suppression with one number for both thresholds. Rows behind the count have
/// no values.
void addSuppression(Module &module, int64_t batches, int64_t classes,
                    int64_t boxes, int64_t limit, const char *threshold,
                    bool center = false) {
  std::string places = module.floats({batches, boxes, 4}, "f32", {nan, 0.5f}),
              scores = module.floats({batches, classes, boxes}, "f32",
                                     {nan, infinity, 0.25f, 0.0f, -0.0f});
  std::string count =
      module.value("arith.constant " + std::to_string(limit) + " : index");
  std::string bound = module.value(std::string("tenon.constant dense<") +
                                   threshold + "> : tensor<f32>");
  Dims rows = {batches * classes * std::min(limit, boxes), 3};
  std::string type = tensorType(rows, "i64"), chosen = tensorType(rows, "i1"),
              sizes = " sizes [" + std::to_string(rows[0]) + ", 3] : ";
  std::string both = module.value(
      "tenon.non_max_suppression " + places + ", " + scores + " limit " +
          count + ", " + bound + ", " + bound + (center ? " center" : "") +
          " : (" + tensorType({batches, boxes, 4}, "f32") + ", " +
          tensorType({batches, classes, boxes}, "f32") +
          ", index, tensor<f32>, tensor<f32>) -> (" + type + ", tensor<i64>)",
      2);
  std::string number =
      module.value("tenon.iota dim 0" + sizes + "() -> " + type);
  std::string end =
      module.value("tenon.broadcast_in_dim " + both + "#1 dims []" + sizes +
                   "(tensor<i64>) -> " + type);
  std::string exists =
      module.value("tenon.compare lt " + number + ", " + end + " : (" + type +
                   ", " + type + ") -> " + chosen);
  module.result("tenon.select " + exists + ", " + both + "#0, " + end + " : (" +
                    chosen + ", " + type + ", " + type + ") -> " + type,
                type);
}

TEST_F(KernelBits, Suppression) {
  Module module;
  addSuppression(module, 1, 1, 1, 1, "1.0e-01");
  addSuppression(module, 2, 3, 70, 20, "1.0e-01");
  addSuppression(module, 1, 2, 300, 300, "5.0e-01");
  addSuppression(module, 2, 2, 600, 7, "0.0", true);
  addSuppression(module, 1, 5, 100, 0, "1.0e-01");
  addSuppression(module, 1, 3, 64, 64, "9.0e+09");
  // More pairs of batch and class than blocks.
  addSuppression(module, 3, 200, 5, 2, "1.0e-01");
  expectBits(module);
}
} // namespace

} // namespace tenon::test
