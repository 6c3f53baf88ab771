// Tests products of quads of bytes against plain sums of integers modulo 2^32.
// Rows are padded to whole words in the graph; weights are words in panels. The
// instructions, the extents, the tiles and the tasks have no effect.
#include "test/amx/amx_emulator.h"
#include "test/unit/contraction/ContractionCase.h"

#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

using namespace tenon;

namespace {
using Bytes = std::vector<char>;
using Rows = std::vector<uint8_t>;
using Weights = std::vector<int8_t>;

/// A graph with its inputs and the bytes of its result.
struct ByteCase {
  std::string name, text;
  std::vector<Bytes> inputs;
  std::vector<Dims> dims;
  Dims result;
  Bytes expected;
};

/// The contraction that a case is made of.
struct Contraction {
  std::string op;
  Dims weight;
  int64_t column; ///< the dimension of the weight with the result's columns
  Unknown unknown = Unknown::None;
  bool quantized = false; ///< the sums are scaled and stored as bytes
};

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!bytes.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T> std::vector<T> randomBytes(int64_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<T> values(size);
  for (T &value : values)
    value = T(random());
  return values;
}

std::string typed(const Dims &dims, const char *element,
                  Unknown unknown = Unknown::None) {
  std::string text = type(dims, unknown);
  return text.replace(text.rfind('x') + 1, 3, element);
}

int64_t wordsOf(int64_t depth) { return (depth + 3) / 4; }

/// The words of `taps` times `depth` rows of `columns` weights, in panels. The
/// random padding of words and panels must have no effect.
Weights words(const Weights &weights, int64_t taps, int64_t depth,
              int64_t columns, int64_t width) {
  int64_t panels = (columns + width - 1) / width, lines = wordsOf(depth);
  Weights result =
      randomBytes<int8_t>(panels * taps * lines * width * 4, /*seed=*/7);
  for (int64_t tap = 0; tap < taps; ++tap)
    for (int64_t k = 0; k < depth; ++k)
      for (int64_t n = 0; n < columns; ++n) {
        int64_t line = (n / width * taps + tap) * lines + k / 4;
        result[(line * width + n % width) * 4 + k % 4] =
            weights[(tap * depth + k) * columns + n];
      }
  return result;
}

/// The text that makes bytes of `%0`, and their effect on the expected sums:
/// each is multiplied by the scale of its column, rounded, shifted and
/// saturated.
std::string quantize(ByteCase &test, const std::string &sum) {
  int64_t columns = test.result.back();
  std::vector<float> scales = randomFloats(columns, 77);
  for (float &scale : scales)
    scale *= 0x1p-12f;
  std::vector<int32_t> sums(count(test.result));
  std::memcpy(sums.data(), test.expected.data(), test.expected.size());
  test.expected.clear();
  for (size_t i = 0; i < sums.size(); ++i) {
    float shifted =
        std::nearbyint(float(sums[i]) * scales[i % columns]) + 30.0f;
    test.expected.push_back(char(uint8_t(std::clamp(shifted, 0.0f, 255.0f))));
  }
  test.inputs.push_back(bytesOf(scales));
  test.dims.push_back({columns});
  std::string real = type(test.result), bytes = typed(test.result, "ui8"),
              unary = " : (" + real + ") -> " + real,
              binary = " : (" + real + ", " + real + ") -> " + real;
  auto splat = [&](const char *name, const char *number) {
    return std::string("  %") + name + " = tenon.constant dense<" + number +
           "> : " + real + "\n";
  };
  return splat("low", "0.0") + splat("high", "255.0") + splat("shift", "30.0") +
         "  %real = tenon.convert %0 to f32 : (" + sum + ") -> " + real +
         "\n  %s = tenon.broadcast_in_dim %scale dims [" +
         std::to_string(test.result.size() - 1) + "] sizes " +
         list(test.result) + " : (" + type({columns}) + ") -> " + real +
         "\n  %m = tenon.multiply %real, %s" + binary +
         "\n  %n = tenon.round_nearest_even %m" + unary +
         "\n  %a = tenon.add %n, %shift" + binary +
         "\n  %c = tenon.clamp %low, %a, %high : (" + real + ", " + real +
         ", " + real + ") -> " + real + "\n  %y = tenon.convert %c to ui8 : (" +
         real + ") -> " + bytes + "\n  return %y : " + bytes + "\n}\n";
}

/// Writes the function of the case, whose operands are rows and words.
void write(ByteCase &test, const Contraction &of) {
  Dims from = test.dims[0], whole = from, parts = test.dims[1];
  whole.back() = wordsOf(from.back()) * 4;
  parts[parts.size() - 2] *= 4;
  bool pads = whole != from;
  std::string x = typed(from, "ui8", of.unknown),
              r = typed(whole, "ui8", of.unknown),
              q = typed(test.dims[1], "i32"), b = typed(parts, "i8"),
              w = typed(of.weight, "i8"),
              sum = typed(test.result, "i32", of.unknown),
              scale =
                  of.quantized ? ", %scale: " + type({test.result.back()}) : "";
  test.text = "func.func @" + test.name + "(" + (pads ? "%x: " : "%r: ") + x +
              ", %q: " + q + scale + ") -> " +
              (of.quantized ? typed(test.result, "ui8") : sum) + " {\n";
  if (pads) {
    Dims none(from.size()), high(from.size());
    high.back() = whole.back() - from.back();
    test.text += "  %zero = tenon.constant dense<0> : tensor<ui8>\n  %r = "
                 "tenon.pad %x, %zero low " +
                 list(none) + " high " + list(high) + " interior " +
                 list(none) + " : (" + x + ", tensor<ui8>) -> " + r + "\n";
  }
  test.text += "  %b = tenon.unquad %q : (" + q + ") -> " + b +
               "\n  %w = tenon.unpack %b dim " + std::to_string(of.column) +
               " extent " + std::to_string(test.result.back()) + " : (" + b +
               ") -> " + w + "\n  %0 = tenon." + of.op + " products quads : (" +
               r + ", " + w + ") -> " + sum + "\n";
  test.text +=
      of.quantized ? quantize(test, sum) : "  return %0 : " + sum + "\n}\n";
}

struct Form {
  bool transposed = false;
  Unknown unknown = Unknown::None;
  int64_t width = 16; ///< columns of a panel
  bool quantized = false;
  const char *name = "quads";
};

using Change = void (*)(Rows &rows, Weights &weights);
void nothing(Rows &, Weights &) {}

/// Rows, which have the extents `rows`, times a weight.
ByteCase product(const Dims &rows, int64_t columns, int64_t depth,
                 const Form &form = {}, Change change = nothing) {
  ByteCase test;
  test.name = numbered(form.name, {columns, depth, form.transposed,
                                   form.unknown == Unknown::None, form.width,
                                   form.quantized});
  for (int64_t extent : rows)
    test.name += "_" + std::to_string(extent);
  Rows x = randomBytes<uint8_t>(count(rows) * depth, 3);
  Weights y = randomBytes<int8_t>(depth * columns, 5);
  change(x, y);
  std::vector<uint32_t> sums;
  for (int64_t m = 0; m < count(rows); ++m)
    for (int64_t n = 0; n < columns; ++n) {
      uint32_t sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += uint32_t(x[m * depth + k] * y[k * columns + n]);
      sums.push_back(sum);
    }
  test.expected = bytesOf(sums);
  int64_t panels = (columns + form.width - 1) / form.width,
          lines = wordsOf(depth);
  test.inputs = {bytesOf(x), bytesOf(words(y, 1, depth, columns, form.width))};
  Dims lhs = rows;
  lhs.push_back(depth);
  test.dims = {lhs, {panels, lines, form.width}};
  test.result = rows;
  test.result.push_back(columns);
  write(test,
        {"dot_general %r, %w batch [] x [] contract [" +
             std::to_string(rows.size()) + "] x [" +
             (form.transposed ? "1" : "0") + "]",
         form.transposed ? Dims{columns, 4 * lines} : Dims{4 * lines, columns},
         form.transposed ? 0 : 1, form.unknown, form.quantized});
  return test;
}

/// A convolution with windows of `taps` x `taps` on two images.
ByteCase convolution(int64_t size, int64_t features, int64_t outputs,
                     int64_t taps, SquareWindow window,
                     bool quantized = false) {
  constexpr int64_t width = 16, images = 2;
  ByteCase test;
  test.name = numbered("windows", {size, features, outputs, taps, window.stride,
                                   window.padding, window.dilation,
                                   window.between, quantized});
  int64_t places = window.placesOf(size, taps),
          panels = (outputs + width - 1) / width, lines = wordsOf(features);
  Rows x = randomBytes<uint8_t>(images * size * size * features, 3);
  Weights y = randomBytes<int8_t>(taps * taps * features * outputs, 5);
  test.dims = {{images, size, size, features},
               {panels, taps, taps, lines, width}};
  test.result = {images, places, places, outputs};
  test.inputs = {bytesOf(x),
                 bytesOf(words(y, taps * taps, features, outputs, width))};
  std::vector<uint32_t> sums(count(test.result));
  for (size_t i = 0; i < sums.size(); ++i) {
    int64_t n = int64_t(i) % outputs, place = int64_t(i) / outputs,
            image = place / (places * places);
    for (int64_t tap = 0; tap < taps * taps; ++tap) {
      int64_t h = window.pixelAt(place / places % places, tap / taps, size),
              v = window.pixelAt(place % places, tap % taps, size);
      for (int64_t k = 0; h >= 0 && v >= 0 && k < features; ++k)
        sums[i] += uint32_t(x[((image * size + h) * size + v) * features + k] *
                            y[(tap * features + k) * outputs + n]);
    }
  }
  test.expected = bytesOf(sums);
  auto twice = [](int64_t number) { return list({number, number}); };
  write(test, {"convolution %r, %w strides " + twice(window.stride) +
                   " padding " + list(Dims(4, window.padding)) +
                   " lhs_dilation " + twice(window.between) + " rhs_dilation " +
                   twice(window.dilation) + " groups 1",
               {taps, taps, 4 * lines, outputs},
               /*column=*/3,
               Unknown::None,
               quantized});
  return test;
}

/// The convolution with the channels of its images in planes.
ByteCase inPlanes(ByteCase test) {
  Dims from = test.dims[0];
  int64_t pixels = from[1] * from[2], features = from[3];
  Bytes image = test.inputs[0];
  for (int64_t i = 0; i < count(from); ++i) {
    int64_t pixel = i / features;
    test.inputs[0][(pixel / pixels * features + i % features) * pixels +
                   pixel % pixels] = image[i];
  }
  test.dims[0] = {from[0], features, from[1], from[2]};
  std::string here = typed(from, "ui8"), there = typed(test.dims[0], "ui8"),
              operand = features % 4 == 0 ? "%r" : "%x";
  test.name += "_planes";
  test.text.replace(test.text.find("(" + operand),
                    operand.size() + here.size() + 3,
                    "_planes(%planes: " + there);
  test.text.insert(test.text.find("{\n") + 2,
                   "  " + operand +
                       " = tenon.transpose %planes [0, 2, 3, 1] : (" + there +
                       ") -> " + here + "\n");
  return test;
}

/// The product with its rows along the last dimension. Their depth is whole
/// words.
ByteCase turned(ByteCase test) {
  Dims from = test.dims[0], to{from[1], from[0]};
  Bytes rows = test.inputs[0];
  for (int64_t i = 0; i < count(from); ++i)
    test.inputs[0][i % from[1] * from[0] + i / from[1]] = rows[i];
  test.dims[0] = to;
  auto replace = [&](const std::string &old, const std::string &text) {
    for (size_t at = 0; (at = test.text.find(old, at)) != std::string::npos;)
      test.text.replace(at, old.size(), text);
  };
  replace(typed(from, "ui8"), typed(to, "ui8"));
  replace("contract [1]", "contract [0]");
  replace("@" + test.name, "@turned_" + test.name);
  test.name = "turned_" + test.name;
  return test;
}

/// Targets with and without instructions for quads, and with all vectors.
std::vector<JitTarget> vectorTargets() {
  std::vector<JitTarget> result = jitTargets();
  result.push_back({"x86-64-v2", 16, {}, 0, /*optimize=*/false});
  auto features = llvm::sys::getHostCPUFeatures();
  if (features.lookup("avx512vnni"))
    result.push_back(
        {"cascadelake", 64, {"+avx512vnni"}, 0, /*optimize=*/false});
  if (features.lookup("avxvnni"))
    result.push_back({"alderlake", 32, {"+avxvnni"}, 0, /*optimize=*/false});
  return result;
}

void checkQuads(const std::vector<ByteCase> &cases,
                const std::vector<JitTarget> &targets = vectorTargets()) {
  std::string text;
  for (const ByteCase &test : cases)
    text += test.text;
  for (const JitTarget &target : targets) {
    JitGraph graph(text, target);
    bool forTiles = llvm::is_contained(target.features, "+amx-int8");
    EXPECT_EQ(graph.usesTiles(), forTiles);
    for (const ByteCase &test : cases)
      for (int64_t step : {1, 1000}) {
        std::vector<Bytes> data = test.inputs;
        std::vector<JitTensor> inputs;
        for (size_t i = 0; i < data.size(); ++i)
          inputs.push_back({data[i].data(), test.dims[i]});
        // Guard bytes after the end, which must stay unchanged.
        Bytes wanted = test.expected, result(wanted.size() + 64, 0x5a);
        wanted.resize(result.size(), 0x5a);
        graph.run(test.name, inputs, {result.data(), test.result}, step);
        auto [want, got] =
            std::mismatch(wanted.begin(), wanted.end(), result.begin());
        if (want != wanted.end())
          ADD_FAILURE() << test.name << " for " << target.cpu << ", tasks by "
                        << step << ", byte " << want - wanted.begin() << " of "
                        << test.expected.size() << ": expected " << int(*want)
                        << ", got " << int(*got);
      }
  }
}
/// Cases for tiles of AMX: at least sixteen rows and 32 columns.
void checkTiles(const std::vector<ByteCase> &cases) {
  if (!llvm::sys::getHostCPUFeatures().lookup("avx512vl"))
    GTEST_SKIP() << "kernels for AMX use AVX-512";
  amx_start();
  checkQuads(cases, {{"x86-64-v4", 64, {"+amx-tile", "+amx-int8"}}});
}
} // namespace

TEST(Quads, EveryNumberOfRows) {
  std::vector<ByteCase> cases;
  const Dims columns{1, 15, 16, 17, 50, 149}, depths{1, 3, 4, 7, 45, 130, 301};
  size_t n = 0;
  for (int64_t rows = 0; rows <= 17; ++rows)
    for (int i = 0; i < 3; ++i, ++n)
      cases.push_back(product({rows}, columns[n % columns.size()],
                              depths[(n + n / 6) % depths.size()],
                              {.transposed = n % 2 == 1}));
  checkQuads(cases);
}

TEST(Quads, RowsKnownInTheRun) {
  std::vector<ByteCase> cases;
  for (int64_t rows : {1, 2, 5, 9, 33})
    for (int64_t depth : {32, 301})
      cases.push_back(product({rows}, 149, depth, {.unknown = Unknown::Rows}));
  checkQuads(cases);
}

TEST(Quads, RowsOfSeveralExtents) {
  checkQuads({product({3, 5}, 35, 20), product({2, 3, 4}, 17, 37),
              product({2, 7}, 35, 64, {.unknown = Unknown::Rows})});
}

TEST(Quads, WidePanels) {
  std::vector<ByteCase> cases;
  for (int64_t rows : {1, 3, 8, 13})
    for (int64_t columns : {64, 101})
      cases.push_back(product({rows}, columns, 67, {.width = 64}));
  checkQuads(cases);
}

// The sum of two greatest products exceeds 16 bits. The sum of 67001 exceeds 32
// bits and wraps.
TEST(Quads, GreatestValues) {
  auto least = [](Rows &x, Weights &y) {
    std::fill(x.begin(), x.end(), uint8_t(255));
    std::fill(y.begin(), y.end(), int8_t(-128));
  };
  auto greatest = [](Rows &x, Weights &y) {
    std::fill(x.begin(), x.end(), uint8_t(255));
    std::fill(y.begin(), y.end(), int8_t(127));
  };
  auto mixed = [](Rows &x, Weights &y) {
    for (uint8_t &value : x)
      value = value % 2 ? 255 : 128;
    for (int8_t &value : y)
      value = value % 2 ? 127 : -128;
  };
  std::vector<ByteCase> cases;
  for (int64_t depth : {2, 4, 301, 67001}) {
    cases.push_back(product({3}, 17, depth, {.name = "least"}, least));
    cases.push_back(product({3}, 17, depth, {.name = "greatest"}, greatest));
    cases.push_back(product({3}, 17, depth, {.name = "mixed"}, mixed));
  }
  checkQuads(cases);
}

TEST(Quads, StoredAsBytes) {
  std::vector<ByteCase> cases;
  for (int64_t rows : {1, 2, 7, 16})
    for (int64_t columns : {1, 17, 48, 101})
      cases.push_back(
          product({rows}, columns, columns % 2 ? 67 : 64, {.quantized = true}));
  cases.push_back(convolution(9, 3, 18, 3, {1, 1, 1}, true));
  cases.push_back(convolution(7, 64, 33, 1, {1, 0, 1}, true));
  checkQuads(cases);
}

// Depths of whole and of incomplete steps; the last tile may repeat rows.
TEST(QuadsInTiles, ManyRows) {
  std::vector<ByteCase> cases;
  for (int64_t rows : {15, 16, 33, 250})
    for (int64_t depth : {64, 67, 640, 1300}) {
      cases.push_back(product({rows}, 96, depth));
      cases.push_back(product({rows}, 150, depth, {.unknown = Unknown::Rows}));
      cases.push_back(product({rows}, 101, depth, {.width = 64}));
    }
  checkTiles(cases);
}

// Taps that fill whole steps of a tile, or most of one, or several.
TEST(QuadsInTiles, Windows) {
  checkTiles({convolution(9, 64, 64, 3, {1, 1, 1}),
              convolution(8, 58, 35, 3, {1, 1, 1}),
              convolution(9, 128, 40, 3, {2, 1, 1}),
              convolution(9, 64, 33, 3, {1, 2, 2}),
              convolution(6, 250, 96, 3, {1, 1, 1}),
              convolution(5, 64, 48, 5, {1, 2, 1}),
              convolution(5, 1300, 32, 2, {1, 1, 1}),
              convolution(8, 64, 64, 3, {1, 1, 1}, true)});
}

// A border adds nothing, whatever the weights there are.
TEST(Quads, Windows) {
  checkQuads({convolution(9, 3, 18, 3, {1, 1, 1}),
              convolution(11, 3, 64, 7, {2, 3, 1}),
              convolution(9, 20, 18, 3, {1, 0, 1}),
              convolution(9, 21, 35, 3, {2, 1, 1}),
              convolution(9, 32, 16, 3, {1, 2, 2}),
              convolution(7, 130, 49, 3, {1, 1, 1}),
              convolution(4, 5, 17, 3, {1, 3, 1}),
              convolution(7, 64, 70, 1, {1, 0, 1}),
              convolution(7, 64, 70, 1, {2, 0, 1})});
}

TEST(Quads, TransposedConvolutions) {
  checkQuads({convolution(5, 7, 18, 3, {1, 1, 1, 2}),
              convolution(5, 8, 35, 4, {1, 2, 1, 2})});
}

// The graph moves the channels of a pixel together before words are read.
TEST(Quads, ImagesInPlanes) {
  checkQuads({inPlanes(convolution(9, 3, 18, 3, {1, 1, 1})),
              inPlanes(convolution(9, 8, 18, 3, {2, 1, 1}))});
}

// The bytes of a word are not adjacent in its row: each element is computed
// separately.
TEST(Quads, RowsThatAreStrided) {
  checkQuads({turned(product({7}, 35, 40)),
              turned(product({18}, 17, 4, {.transposed = true})),
              turned(product({3}, 16, 128, {.width = 64}))});
}
