// Maps have the CPU's bits at sizes around the elements of a thread, with
// operands that are repeated, cut or turned, where memory is aligned and where
// it is not.
#include "test/gpu/KernelModule.h"

namespace tenon::test {

namespace {
using Dims = std::vector<int64_t>;

/// exp(x * y) - x, with x and y of any shape.
void addFlat(Module &module, const Dims &dims, const char *element,
             const std::vector<float> &odd = {}) {
  std::string type = tensorType(dims, element),
              x = module.floats(dims, element, odd),
              y = module.floats(dims, element, odd);
  auto binary = [&](const char *op, const std::string &a,
                    const std::string &b) {
    return std::string("tenon.") + op + " " + a + ", " + b + " : (" + type +
           ", " + type + ") -> " + type;
  };
  std::string product = module.value(binary("multiply", x, y));
  std::string power = module.value("tenon.exponential " + product + " : (" +
                                   type + ") -> " + type);
  module.result(binary("subtract", power, x), type);
}

/// The sum of x and an operand that `dims` of x repeat it along the others.
void addRepeated(Module &module, const Dims &dims, const Dims &own,
                 const std::string &alongDims) {
  std::string type = tensorType(dims, "f32"), sizes;
  for (int64_t dim : dims)
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(dim);
  std::string x = module.floats(dims, "f32"), y = module.floats(own, "f32");
  std::string wide = module.value("tenon.broadcast_in_dim " + y + " dims [" +
                                  alongDims + "] sizes [" + sizes + "] : (" +
                                  tensorType(own, "f32") + ") -> " + type);
  module.result("tenon.add " + x + ", " + wide + " : (" + type + ", " + type +
                    ") -> " + type,
                type);
}

class MapBits : public KernelBits {};

TEST_F(MapBits, FlatSizes) {
  for (size_t shift : {0, 1}) {
    Module module;
    for (const Dims &dims :
         {Dims{1}, Dims{3}, Dims{4}, Dims{5}, Dims{1023}, Dims{1024},
          Dims{1025}, Dims{37, 29}, Dims{3, 5, 7, 11}, Dims{2, 2048}})
      addFlat(module, dims, "f32");
    for (const char *element : {"f16", "bf16", "f64"})
      for (const Dims &dims : {Dims{7}, Dims{64}, Dims{33, 67}})
        addFlat(module, dims, element);
    expectBits(module, WeightFormat::F32, shift);
  }
}

TEST_F(MapBits, RepeatedOperands) {
  for (size_t shift : {0, 1}) {
    Module module;
    for (int64_t width : {3, 4, 6, 8, 60, 61, 1028}) {
      addRepeated(module, {5, width}, {width}, "1");
      addRepeated(module, {5, width}, {5}, "0");
      addRepeated(module, {2, 5, width}, {5, 1}, "1, 2");
      addRepeated(module, {2, 5, width}, {2, width}, "0, 2");
      addRepeated(module, {2, 5, width}, {}, "");
    }
    expectBits(module, WeightFormat::F32, shift);
  }
}

TEST_F(MapBits, OddNumbers) {
  Module module;
  addFlat(module, {67, 33}, "f32",
          {infinity, -infinity, nan, 3e38f, 1e-40f, -0.0f});
  expectBits(module);
}

TEST_F(MapBits, PartsAndTurns) {
  Module module;
  std::string x = module.floats({24, 40}, "f32");
  auto part = [&](int64_t row, int64_t column, int64_t rows, int64_t columns,
                  int64_t stride) {
    std::string type = tensorType({rows, columns}, "f32");
    module.result("tenon.slice " + x + " offsets [" + std::to_string(row) +
                      ", " + std::to_string(column) + "] sizes [" +
                      std::to_string(rows) + ", " + std::to_string(columns) +
                      "] strides [1, " + std::to_string(stride) +
                      "] : (tensor<24x40xf32>) -> " + type,
                  type);
  };
  part(0, 0, 24, 20, 1);
  part(3, 4, 20, 32, 1);
  part(3, 1, 20, 32, 1);
  part(0, 0, 24, 20, 2);
  module.result("tenon.transpose " + x +
                    " [1, 0] : (tensor<24x40xf32>) -> tensor<40x24xf32>",
                "tensor<40x24xf32>");
  module.result("tenon.reverse " + x + " [1] : tensor<24x40xf32>",
                "tensor<24x40xf32>");
  module.result("tenon.reverse " + x + " [0] : tensor<24x40xf32>",
                "tensor<24x40xf32>");
  module.result(
      "tenon.reshape " + x +
          " sizes [40, 24] : (tensor<24x40xf32>) -> tensor<40x24xf32>",
      "tensor<40x24xf32>");
  module.result("tenon.concatenate " + x + ", " + x +
                    " dim 0 : (tensor<24x40xf32>, tensor<24x40xf32>) -> "
                    "tensor<48x40xf32>",
                "tensor<48x40xf32>");
  expectBits(module);
}

TEST_F(MapBits, ExtentsKnownAtRunTime) {
  for (size_t shift : {0, 1}) {
    Module module;
    for (int64_t width : {1, 3, 4, 61, 64, 1028}) {
      std::string type = "tensor<5x?xf32>", rowType = "tensor<?xf32>";
      std::string x = module.floats({5, width}, "f32");
      module.openLastExtent("f32");
      module.result("tenon.tanh " + x + " : (" + type + ") -> " + type, type);
      std::string row = module.floats({width}, "f32");
      module.openLastExtent("f32");
      std::string one = module.value("arith.constant 1 : index"),
                  size = module.value("tensor.dim " + x + ", " + one + " : " +
                                      type);
      std::string wide = module.value("tenon.broadcast_in_dim " + row +
                                      " dims [1] sizes [5, " + size + "] : (" +
                                      rowType + ", index) -> " + type);
      module.result("tenon.add " + x + ", " + wide + " : (" + type + ", " +
                        type + ") -> " + type,
                    type);
    }
    expectBits(module, WeightFormat::F32, shift);
  }
}
} // namespace

} // namespace tenon::test
