// Kernels whose threads share a task have the CPU's bits at sizes around their
// tiles: attention with masks, lengths and tables, and products of few and of
// many rows. Each test is one module of several ops, run on the CPU and on the
// emulated device.
#include "compiler/Compiler.h"
#include "runtime/tenon.h"

#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tenon;

namespace {
constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();

/// An input of a module and its elements.
struct Input {
  std::string type; ///< of the tensor
  tenon_dtype dtype;
  std::vector<int64_t> dims;
  std::vector<char> bytes;
};

std::string tensorType(const std::vector<int64_t> &dims, const char *element) {
  std::string text = "tensor<";
  for (int64_t dim : dims)
    text += std::to_string(dim) + "x";
  return text + element + ">";
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
  /// Elements from a normal distribution; `odd` replaces some of them.
  std::string floats(const std::vector<int64_t> &dims, const char *element,
                     const std::vector<float> &odd = {}) {
    size_t count = 1;
    for (int64_t dim : dims)
      count *= size_t(dim);
    std::vector<float> values(count);
    for (float &value : values) {
      value = normal(draws);
      if (!odd.empty() && draws() % 37 == 0)
        value = odd[draws() % odd.size()];
    }
    if (std::string(element) == "f32")
      return input(dims, element, TENON_F32, values);
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
  /// Adds a weight, whose elements are in a file.
  std::string weight(const std::vector<int64_t> &dims) {
    size_t count = 1;
    for (int64_t dim : dims)
      count *= size_t(dim);
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
  /// Adds an op that is no result.
  std::string value(const std::string &op) {
    std::string name = "%v" + std::to_string(numValues++);
    body += "  " + name + " = " + op + "\n";
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

struct Opened {
  tenon_model *model = nullptr;
  tenon_context *context = nullptr;
  std::string wrong;

  Opened(const std::string &artifact, const char *device) {
    char text[1024] = "";
    tenon_open_options options{};
    options.struct_size = sizeof options;
    options.error_text = text;
    options.error_text_bytes = sizeof text;
    options.threads = 1;
    options.device = device;
    if (tenon_open(artifact.c_str(), &options, &model) != TENON_OK ||
        tenon_context_create(model, nullptr, &context) != TENON_OK)
      wrong = text;
  }
  ~Opened() {
    tenon_context_destroy(context);
    tenon_close(model);
  }
};

/// The results' bytes; a NaN as one of its kind.
std::vector<std::vector<char>> run(Opened &opened, Module &module) {
  std::vector<tenon_tensor> ins, outs(module.results.size());
  for (Input &input : module.inputs) {
    tenon_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    tensor.dtype = input.dtype;
    tensor.rank = int32_t(input.dims.size());
    tensor.dims = input.dims.data();
    tensor.data = input.bytes.data();
    tensor.bytes = input.bytes.size();
    ins.push_back(tensor);
  }
  for (tenon_tensor &out : outs)
    out.struct_size = sizeof out;
  EXPECT_EQ(tenon_run(opened.context, nullptr, ins.data(), ins.size(),
                      outs.data(), outs.size()),
            TENON_OK)
      << tenon_context_text(opened.context);
  std::vector<std::vector<char>> results;
  for (tenon_tensor &out : outs) {
    auto *bytes = static_cast<const char *>(out.data);
    results.emplace_back(bytes, bytes + out.bytes);
    for (size_t i = 0; out.dtype == TENON_F32 && i < out.bytes; i += 4) {
      float value;
      std::memcpy(&value, &results.back()[i], 4);
      if (value != value)
        std::memcpy(&results.back()[i], &nan, 4);
    }
  }
  return results;
}

void expectBits(Module &module, WeightFormat format = WeightFormat::F32) {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tenon-XXXXXX").string();
  ASSERT_TRUE(mkdtemp(pattern.data()));
  std::string source = pattern + "/model.mlir", artifact = pattern + "/m.so";
  std::ofstream(source) << module.text(pattern);
  std::ofstream(pattern + "/weights")
      .write(reinterpret_cast<const char *>(module.weights.data()),
             std::streamsize(module.weights.size() * sizeof(float)));
  std::string messages;
  Compiler compiler(
      [&](const Diagnostic &d) { messages += formatDiagnostic(d); });
  CompileOptions options;
  options.input = source;
  options.output = artifact;
  options.devices = {"sm_75"};
  options.matmulPrecision = MatmulPrecision::Strict;
  options.weightFormat = format;
  ASSERT_EQ(compiler.compile(options).status, Status::Success)
      << messages << module.text(pattern);
  Opened cpu(artifact, nullptr), device(artifact, "cuda");
  ASSERT_EQ(cpu.wrong + device.wrong, "");
  auto here = run(cpu, module), there = run(device, module);
  for (size_t i = 0; i < here.size(); ++i)
    EXPECT_EQ(here[i], there[i]) << "result " << i << " of\n"
                                 << module.text(pattern);
  std::filesystem::remove_all(pattern);
}

/// Attention of 2 entries, each with `heads` heads of queries in groups.
struct Attention {
  int64_t queries, keys, depth, valueDepth;
  int64_t heads = 2, group = 1;
  const char *cache = "f32"; ///< the type of keys and values
  bool headsInside = false;  ///< keys are [entry, key, head, depth]
  bool causal = false, boolMask = false, floatMask = false;
  bool lengths = false, positions = false, table = false;
  std::vector<float> odd = {}; ///< some elements of keys and values
};

void add(Module &module, const Attention &c) {
  const int64_t entries = 2, shared = c.heads / c.group;
  using Dims = std::vector<int64_t>;
  Dims query = {entries, c.heads, c.queries, c.depth},
       key = {entries, shared, c.keys, c.depth},
       value = {entries, shared, c.keys, c.valueDepth},
       result = {entries, c.heads, c.queries, c.valueDepth},
       scores = {entries, c.heads, c.queries, c.keys};
  std::string order = "[0, 1, 2, 3]", keyOrder = order;
  if (c.headsInside) {
    keyOrder = "[0, 2, 1, 3]";
    std::swap(key[1], key[2]);
    std::swap(value[1], value[2]);
  }
  std::string op = "tenon.attention " + module.floats(query, "f32") + ", " +
                   module.floats(key, c.cache, c.odd) + ", " +
                   module.floats(value, c.cache, c.odd);
  std::string types = tensorType(query, "f32") + ", " +
                      tensorType(key, c.cache) + ", " +
                      tensorType(value, c.cache);
  auto numbers = [&](size_t count, int64_t low, int64_t high) {
    std::vector<int64_t> values(count);
    for (int64_t &value : values)
      value = low + int64_t(module.draws() % uint64_t(high - low + 1));
    return values;
  };
  auto integers = [&](const Dims &dims, int64_t low, int64_t high) {
    size_t count = 1;
    for (int64_t dim : dims)
      count *= size_t(dim);
    return module.input(dims, "i64", TENON_I64, numbers(count, low, high));
  };
  if (c.boolMask) {
    std::string chosen = integers(scores, -1, 2),
                type = tensorType(scores, "i1");
    op += " mask " + module.value("tenon.convert " + chosen + " to i1 : (" +
                                  tensorType(scores, "i64") + ") -> " + type);
    types += ", " + type;
  } else if (c.floatMask) {
    op += " mask " + module.floats(scores, "f32", {-infinity, -1e9f});
    types += ", " + tensorType(scores, "f32");
  }
  if (c.positions) {
    op += " causal " + integers({entries}, -3, c.keys + 3);
    types += ", tensor<2xi64>";
  } else if (c.causal) {
    op += " causal " +
          module.value("arith.constant " + std::to_string(c.keys - c.queries) +
                       " : index");
    types += ", index";
  }
  if (c.lengths) {
    op += " lengths " + integers({entries}, 0, c.keys + 2);
    types += ", tensor<2xi64>";
  }
  if (c.table) {
    op += " table " + integers({entries, c.keys}, -1, entries);
    types += ", " + tensorType({entries, c.keys}, "i64");
  }
  if (c.causal || c.positions || c.boolMask)
    op += " fill -1.0e+09";
  std::string type = tensorType(result, "f32");
  module.result(op + " order " + order + " x " + keyOrder + " x " + keyOrder +
                    " to " + order + " scale 2.5e-01 : (" + types + ") -> " +
                    type,
                type);
}

/// The emulated device is found as libcuda.so.1 once it is loaded.
class KernelBits : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_TRUE(dlopen(TENON_STAND_IN, RTLD_NOW | RTLD_GLOBAL)) << dlerror();
  }
};

TEST_F(KernelBits, AttentionAtSizesAroundTiles) {
  Module module;
  add(module, {.queries = 1, .keys = 1, .depth = 8, .valueDepth = 8});
  add(module, {.queries = 3, .keys = 63, .depth = 32, .valueDepth = 64});
  add(module, {.queries = 63, .keys = 64, .depth = 64, .valueDepth = 64});
  add(module, {.queries = 65, .keys = 65, .depth = 64, .valueDepth = 80});
  add(module, {.queries = 64, .keys = 200, .depth = 80, .valueDepth = 64});
  add(module, {.queries = 33, .keys = 70, .depth = 128, .valueDepth = 128});
  add(module, {.queries = 17, .keys = 65, .depth = 20, .valueDepth = 256});
  add(module, {.queries = 9, .keys = 130, .depth = 31, .valueDepth = 7});
  expectBits(module);
}

TEST_F(KernelBits, AttentionWithMasks) {
  Module module;
  add(module, {.queries = 65,
               .keys = 65,
               .depth = 32,
               .valueDepth = 32,
               .causal = true});
  add(module, {.queries = 5,
               .keys = 200,
               .depth = 64,
               .valueDepth = 64,
               .causal = true});
  add(module, {.queries = 40,
               .keys = 70,
               .depth = 16,
               .valueDepth = 16,
               .boolMask = true});
  add(module, {.queries = 40,
               .keys = 70,
               .depth = 16,
               .valueDepth = 16,
               .floatMask = true});
  add(module, {.queries = 130,
               .keys = 130,
               .depth = 16,
               .valueDepth = 16,
               .causal = true,
               .floatMask = true});
  expectBits(module);
}

TEST_F(KernelBits, AttentionOfCaches) {
  Module module;
  add(module, {.queries = 1,
               .keys = 200,
               .depth = 64,
               .valueDepth = 64,
               .headsInside = true,
               .lengths = true,
               .positions = true});
  add(module, {.queries = 3,
               .keys = 70,
               .depth = 64,
               .valueDepth = 64,
               .heads = 4,
               .group = 4,
               .lengths = true,
               .positions = true,
               .odd = {infinity, nan}});
  add(module, {.queries = 2,
               .keys = 130,
               .depth = 32,
               .valueDepth = 32,
               .heads = 4,
               .group = 2,
               .cache = "bf16",
               .lengths = true,
               .table = true});
  add(module, {.queries = 2,
               .keys = 130,
               .depth = 32,
               .valueDepth = 32,
               .cache = "f16",
               .lengths = true,
               .positions = true,
               .table = true});
  expectBits(module);
}

TEST_F(KernelBits, AttentionOfOddNumbers) {
  Module module;
  for (float odd : {infinity, -infinity, nan, 3e38f, 1e-40f, -0.0f})
    add(module, {.queries = 65,
                 .keys = 70,
                 .depth = 16,
                 .valueDepth = 16,
                 .causal = odd > 0,
                 .odd = {odd}});
  expectBits(module);
}

/// A product of [rows, sum] by [sum, columns], with a bias.
void addProduct(Module &module, int64_t rows, int64_t sum, int64_t columns,
                bool transposed = false, bool byWeight = false) {
  std::vector<int64_t> rhs = {sum, columns};
  if (transposed)
    std::swap(rhs[0], rhs[1]);
  std::string type = tensorType({rows, columns}, "f32"),
              biasType = tensorType({columns}, "f32"),
              lhs = module.floats({rows, sum}, "f32"),
              right = byWeight ? module.weight(rhs) : module.floats(rhs, "f32"),
              bias = module.floats({columns}, "f32");
  std::string product = module.value("tenon.dot_general " + lhs + ", " + right +
                                     " batch [] x [] contract [1] x [" +
                                     (transposed ? "1" : "0") + "] : (" +
                                     tensorType({rows, sum}, "f32") + ", " +
                                     tensorType(rhs, "f32") + ") -> " + type);
  std::string wide =
      module.value("tenon.broadcast_in_dim " + bias + " dims [1] sizes [" +
                   std::to_string(rows) + ", " + std::to_string(columns) +
                   "] : (" + biasType + ") -> " + type);
  module.result("tenon.add " + product + ", " + wide + " : (" + type + ", " +
                    type + ") -> " + type,
                type);
}

TEST_F(KernelBits, ProductsOfFewRows) {
  Module module;
  addProduct(module, 1, 768, 96);
  addProduct(module, 1, 128, 40);
  addProduct(module, 2, 129, 64);
  addProduct(module, 3, 300, 36);
  addProduct(module, 8, 1000, 32);
  addProduct(module, 9, 5000, 32);
  addProduct(module, 17, 100, 44);
  addProduct(module, 31, 256, 33);
  expectBits(module);
}

TEST_F(KernelBits, ProductsInTiles) {
  Module module;
  addProduct(module, 64, 64, 64);
  addProduct(module, 65, 130, 68);
  addProduct(module, 33, 300, 100, true);
  addProduct(module, 197, 200, 130);
  addProduct(module, 130, 136, 256, true);
  addProduct(module, 128, 131, 129);
  expectBits(module);
}

TEST_F(KernelBits, ProductsByStoredWeights) {
  for (WeightFormat format : {WeightFormat::F16, WeightFormat::Bf16,
                              WeightFormat::Int8, WeightFormat::Int4}) {
    Module module;
    for (int64_t rows : {1, 5, 70})
      addProduct(module, rows, 300, 100, false, true);
    addProduct(module, 2, 1000, 64, false, true);
    expectBits(module, format);
  }
}
} // namespace
