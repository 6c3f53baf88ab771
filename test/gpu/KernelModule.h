// A module of several ops, written as text, whose results on the emulated
// device are compared with the CPU's.
#ifndef TENON_TEST_GPU_KERNELMODULE_H
#define TENON_TEST_GPU_KERNELMODULE_H

#include "compiler/Compiler.h"
#include "runtime/tenon.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace tenon::test {

inline constexpr float infinity = std::numeric_limits<float>::infinity(),
                       nan = std::numeric_limits<float>::quiet_NaN();

/// An input of a module and its elements.
struct Input {
  std::string type; ///< of the tensor; an extent may be open
  tenon_dtype dtype;
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};

/// A negative extent is open.
inline std::string tensorType(const std::vector<int64_t> &dims,
                              const char *element) {
  std::string text = "tensor<";
  for (int64_t dim : dims)
    text += (dim < 0 ? "?" : std::to_string(dim)) + "x";
  return text + element + ">";
}

inline size_t elementsOf(const std::vector<int64_t> &dims) {
  size_t count = 1;
  for (int64_t dim : dims)
    count *= size_t(dim);
  return count;
}

/// A module that returns the results of its ops, which use its inputs.
class Module {
public:
  /// Adds an input and returns its name.
  template <typename T>
  std::string input(const std::vector<int64_t> &dims, const char *element,
                    tenon_dtype dtype, const std::vector<T> &values) {
    Input input{tensorType(dims, element), dtype, dims, {}};
    input.bytes.resize(values.size() * sizeof(T));
    std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
    inputs.push_back(input);
    return "%i" + std::to_string(inputs.size() - 1);
  }
  /// Leaves the last extent of the input that was added last open.
  void openLastExtent(const char *element) {
    std::vector<int64_t> dims = inputs.back().dims;
    dims.back() = -1;
    inputs.back().type = tensorType(dims, element);
  }
  /// Elements from a normal distribution; `odd` replaces some of them.
  std::string floats(const std::vector<int64_t> &dims, const char *element,
                     const std::vector<float> &odd = {}) {
    std::vector<float> values(elementsOf(dims));
    for (float &value : values) {
      value = normal(draws);
      if (!odd.empty() && draws() % 37 == 0)
        value = odd[draws() % odd.size()];
    }
    if (std::string(element) == "f32")
      return input(dims, element, TENON_F32, values);
    if (std::string(element) == "f64") {
      // Bits below those of an f32. NaN, infinities and zeros stay.
      std::vector<double> wide(values.begin(), values.end());
      for (double &value : wide)
        if (std::isnormal(value))
          value *= 1 + std::ldexp(double(draws() % (1u << 29)), -53);
      return input(dims, element, TENON_F64, wide);
    }
    // The upper half of an f32 is a bf16; as f16 it is another number.
    std::vector<uint16_t> halves;
    for (float value : values) {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      halves.push_back(uint16_t(bits >> 16));
    }
    bool isF16 = std::string(element) == "f16";
    return input(dims, element, isF16 ? TENON_F16 : TENON_BF16, halves);
  }
  /// Random i64 from `low` to `high`.
  std::string integers(const std::vector<int64_t> &dims, int64_t low,
                       int64_t high) {
    std::vector<int64_t> values(elementsOf(dims));
    for (int64_t &value : values)
      value = low + int64_t(draws() % uint64_t(high - low + 1));
    return input(dims, "i64", TENON_I64, values);
  }
  /// Adds a weight, whose elements are in a file.
  std::string weight(const std::vector<int64_t> &dims) {
    size_t count = elementsOf(dims);
    std::string type = tensorType(dims, "f32"),
                name = "@w" + std::to_string(weights.size());
    declarations.push_back({"tenon.weight " + name + " : " + type,
                            std::to_string(weights.size() * sizeof(float)) +
                                ", " + std::to_string(count * sizeof(float))});
    for (size_t i = 0; i < count; ++i)
      weights.push_back(normal(draws));
    return value("tenon.get_weight " + name + " : " + type);
  }
  std::string result(const std::string &op, const std::string &type) {
    std::string name = "%r" + std::to_string(results.size());
    body += "  " + name + " = " + op + "\n";
    results.push_back({name, type});
    return name;
  }
  /// Adds an op with two results.
  void pair(const std::string &op, const std::string &first,
            const std::string &second) {
    std::string name = value(op + " -> (" + first + ", " + second + ")", 2);
    results.push_back({name + "#0", first});
    results.push_back({name + "#1", second});
  }
  /// Adds an op whose values are no results. Several are numbered from `#0`.
  std::string value(const std::string &op, int count = 1) {
    std::string name = "%v" + std::to_string(numValues++);
    body += "  " + name + (count > 1 ? ":" + std::to_string(count) : "") +
            " = " + op + "\n";
    return name;
  }

  /// `folder` has the file of weights.
  std::string text(const std::string &folder) const {
    std::string arguments, types, values, declared;
    for (auto &[before, after] : declarations)
      declared += before + " from #tenon.source<\"" + folder + "/weights\", " +
                  after + ">\n";
    for (size_t i = 0; i < inputs.size(); ++i)
      arguments += (i ? ", " : "") + ("%i" + std::to_string(i)) + ": " +
                   inputs[i].type + " {tenon.name = \"i" + std::to_string(i) +
                   "\"}";
    for (size_t i = 0; i < results.size(); ++i) {
      types += (i ? ", " : "") + results[i].second + " {tenon.name = \"r" +
               std::to_string(i) + "\"}";
      values += (i ? ", " : "") + results[i].first;
    }
    std::string returned;
    for (size_t i = 0; i < results.size(); ++i)
      returned += (i ? ", " : "") + results[i].second;
    return declared + "func.func @main(" + arguments + ") -> (" + types +
           ") {\n" + body + "  return " + values + " : " + returned + "\n}\n";
  }

  std::vector<Input> inputs;
  std::vector<float> weights;
  std::vector<std::pair<std::string, std::string>> results;
  std::mt19937 draws{7};

private:
  std::normal_distribution<float> normal;
  /// The text before and after the file's name in each weight's declaration.
  std::vector<std::pair<std::string, std::string>> declarations;
  std::string body;
  int numValues = 0;
};

/// Compiles the module and runs it on the CPU and on the emulated device. The
/// results must have the same bits, but for the kind of a NaN. If `shift` is
/// positive, the inputs lie in memory of the device, so many elements behind an
/// aligned address.
void expectBits(Module &module, WeightFormat format = WeightFormat::F32,
                size_t shift = 0);

/// The emulated device is found as libcuda.so.1 once it is loaded.
class KernelBits : public testing::Test {
protected:
  void SetUp() override;
};

} // namespace tenon::test

#endif // TENON_TEST_GPU_KERNELMODULE_H
