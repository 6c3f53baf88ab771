// Tests products and convolutions of every float type against sums in extended
// precision. The error of each element is at most k units of the sum of its
// terms' magnitudes. Bits are equal for every target and split into tasks.
#include "test/unit/contraction/ContractionCase.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace tenon;
using llvm::APFloat;

namespace {
/// A float type: its storage, and the rounding unit of sums in it.
struct FloatType {
  const char *name;
  const llvm::fltSemantics &semantics;
  double sumUnit; ///< f16 and bf16 are summed in f32
  double unit;    ///< of one rounding to the type
  double least;   ///< distance between the smallest numbers

  size_t bytes() const { return APFloat::getSizeInBits(semantics) / 8; }
  double read(const char *at) const {
    uint64_t bits = 0;
    std::memcpy(&bits, at, bytes());
    APFloat value(semantics, llvm::APInt(unsigned(bytes() * 8), bits));
    bool ignored;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &ignored);
    return value.convertToDouble();
  }
  void write(double number, char *at) const {
    APFloat value(number);
    bool ignored;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &ignored);
    uint64_t bits = value.bitcastToAPInt().getZExtValue();
    std::memcpy(at, &bits, bytes());
  }
};

const FloatType f16{"f16", APFloat::IEEEhalf(), 0x1p-24, 0x1p-11, 0x1p-25};
const FloatType bf16{"bf16", APFloat::BFloat(), 0x1p-24, 0x1p-8, 0x1p-134};
const FloatType f32{"f32", APFloat::IEEEsingle(), 0x1p-24, 0x1p-24, 0x1p-150};
const FloatType f64{"f64", APFloat::IEEEdouble(), 0x1p-53, 0x1p-53, 0};

/// The linear indices of a term's factors in their operands.
using Term = std::pair<int64_t, int64_t>;

struct TypedCase {
  std::string name, text;
  const FloatType &operand, &element;
  Dims lhs, rhs, result;
  std::vector<std::vector<Term>> terms; ///< for each element of the result
};

std::string typed(const Dims &dims, const FloatType &element) {
  std::string text = type(dims);
  return text.substr(0, text.size() - 4) + element.name + ">";
}

std::string signature(const TypedCase &test) {
  return "(" + typed(test.lhs, test.operand) + ", " +
         typed(test.rhs, test.operand) + ") -> " +
         typed(test.result, test.element);
}

/// The text of a function that applies `op` to %x and %y.
std::string functionOf(const TypedCase &test, const std::string &op) {
  std::string result = typed(test.result, test.element);
  return "func.func @" + test.name + "(%x: " + typed(test.lhs, test.operand) +
         ", %y: " + typed(test.rhs, test.operand) + ") -> " + result +
         " {\n  %0 = tenon." + op + " : " + signature(test) +
         "\n  return %0 : " + result + "\n}\n";
}

/// [batch, rows, sums] times [batch, sums, columns]; either may be transposed.
TypedCase product(const FloatType &operand, const FloatType &element,
                  int64_t batch, int64_t m, int64_t n, int64_t k,
                  bool lhsTransposed, bool rhsTransposed) {
  TypedCase test{
      numbered(operand.name, {batch, m, n, k, lhsTransposed, rhsTransposed}) +
          "_" + element.name,
      {},
      operand,
      element,
      lhsTransposed ? Dims{batch, k, m} : Dims{batch, m, k},
      rhsTransposed ? Dims{batch, n, k} : Dims{batch, k, n},
      {batch, m, n},
      {}};
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        std::vector<Term> terms;
        for (int64_t s = 0; s < k; ++s)
          terms.push_back(
              {b * m * k + (lhsTransposed ? s * m + i : i * k + s),
               b * n * k + (rhsTransposed ? j * k + s : s * n + j)});
        test.terms.push_back(std::move(terms));
      }
  test.text = functionOf(
      test, std::string("dot_general %x, %y batch [0] x [0] contract ") +
                (lhsTransposed ? "[1]" : "[2]") + " x " +
                (rhsTransposed ? "[2]" : "[1]"));
  return test;
}

/// The product with its right operand in panels of its last dimension.
TypedCase inPanels(TypedCase test) {
  constexpr int64_t width = 16;
  int64_t columns = test.rhs[2], inside = test.rhs[0] * test.rhs[1];
  for (std::vector<Term> &terms : test.terms)
    for (auto &[x, y] : terms) {
      int64_t column = y % columns;
      y = (column / width * inside + y / columns) * width + column % width;
    }
  std::string here = typed(test.rhs, test.operand);
  test.rhs = {(columns + width - 1) / width, test.rhs[0], test.rhs[1], width};
  std::string there = typed(test.rhs, test.operand);
  test.name += "_panels";
  test.text.insert(test.text.find("(%x"), "_panels");
  test.text.replace(test.text.find("%y: " + here), here.size() + 4,
                    "%panels: " + there);
  test.text.insert(test.text.find("{\n") + 2,
                   "  %y = tenon.unpack %panels dim 2 extent " +
                       std::to_string(columns) + " : (" + there + ") -> " +
                       here + "\n");
  return test;
}

/// A convolution of [1, height, width, features] with one pixel of padding.
TypedCase convolution(const FloatType &operand, int64_t height, int64_t width,
                      int64_t features, int64_t outputs, int64_t kernel,
                      int64_t stride, int64_t groups) {
  int64_t rows = (height + 2 - kernel) / stride + 1,
          columns = (width + 2 - kernel) / stride + 1;
  int64_t inner = features / groups;
  TypedCase test{numbered("conv", {height, width, features, outputs, kernel,
                                   stride, groups}) +
                     "_" + operand.name,
                 {},
                 operand,
                 operand,
                 {1, height, width, features},
                 {kernel, kernel, inner, outputs},
                 {1, rows, columns, outputs},
                 {}};
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x)
      for (int64_t o = 0; o < outputs; ++o) {
        std::vector<Term> terms;
        for (int64_t tap = 0; tap < kernel * kernel; ++tap) {
          int64_t row = y * stride + tap / kernel - 1,
                  column = x * stride + tap % kernel - 1;
          if (row < 0 || row >= height || column < 0 || column >= width)
            continue;
          int64_t first = o / (outputs / groups) * inner;
          for (int64_t c = 0; c < inner; ++c)
            terms.push_back({(row * width + column) * features + first + c,
                             (tap * inner + c) * outputs + o});
        }
        test.terms.push_back(std::move(terms));
      }
  std::string strides = list({stride, stride});
  test.text = functionOf(test, "convolution %x, %y strides " + strides +
                                   " padding [1, 1, 1, 1] lhs_dilation [1, 1] "
                                   "rhs_dilation [1, 1] groups " +
                                   std::to_string(groups));
  return test;
}

/// The convolution with the channels of its image in planes.
TypedCase inPlanes(TypedCase test) {
  int64_t features = test.lhs[3], pixels = test.lhs[1] * test.lhs[2];
  for (std::vector<Term> &terms : test.terms)
    for (auto &[x, y] : terms)
      x = x % features * pixels + x / features;
  std::string here = typed(test.lhs, test.operand);
  test.lhs = {1, features, test.lhs[1], test.lhs[2]};
  std::string there = typed(test.lhs, test.operand);
  test.name += "_planes";
  test.text.replace(test.text.find("(%x: " + here), here.size() + 5,
                    "_planes(%planes: " + there);
  test.text.insert(test.text.find("{\n") + 2,
                   "  %x = tenon.transpose %planes [0, 2, 3, 1] : (" + there +
                       ") -> " + here + "\n");
  return test;
}

std::vector<char> randomElements(const FloatType &type, int64_t size,
                                 uint32_t seed) {
  std::vector<char> bytes(size_t(size) * type.bytes());
  std::vector<float> numbers = randomFloats(size, seed);
  for (int64_t i = 0; i < size; ++i) // f64 has more bits than a float
    type.write(double(numbers[i]) * (1 + double(i % 97) * 0x1p-40),
               &bytes[size_t(i) * type.bytes()]);
  return bytes;
}

/// Compares one result with its terms; stops at the first wrong element.
void compare(const TypedCase &test, const std::vector<char> &lhs,
             const std::vector<char> &rhs, const std::vector<char> &result,
             const char *cpu) {
  for (size_t i = 0; i < test.terms.size(); ++i) {
    long double exact = 0, size = 0;
    for (auto [x, y] : test.terms[i]) {
      long double term =
          (long double)(test.operand.read(&lhs[x * test.operand.bytes()])) *
          test.operand.read(&rhs[y * test.operand.bytes()]);
      exact += term;
      size += std::fabs(term);
    }
    double sumUnit = test.operand.sumUnit;
    long double allowed = double(test.terms[i].size()) * sumUnit * size;
    allowed +=
        test.element.unit * (std::fabs(exact) + allowed) + test.element.least;
    double got = test.element.read(&result[i * test.element.bytes()]);
    if (std::fabs(got - exact) <= allowed)
      continue;
    ADD_FAILURE() << test.name << " for " << cpu << ", element " << i
                  << ": expected " << double(exact) << " within "
                  << double(allowed) << ", got " << got;
    return;
  }
}

void checkTypes(const std::vector<TypedCase> &cases) {
  std::string text;
  for (const TypedCase &test : cases)
    text += test.text;
  std::vector<std::vector<char>> first(cases.size());
  for (JitTarget target : jitTargets()) {
    JitGraph graph(text, target);
    for (auto [number, test] : llvm::enumerate(cases))
      for (int64_t step : {1, 1000}) {
        std::vector<char> lhs =
                              randomElements(test.operand, count(test.lhs), 5),
                          rhs =
                              randomElements(test.operand, count(test.rhs), 6);
        // Guard bytes after the end, which must stay unchanged.
        size_t size = size_t(count(test.result)) * test.element.bytes();
        std::vector<char> result(size + 64, 0x5a);
        graph.run(test.name, {{lhs.data(), test.lhs}, {rhs.data(), test.rhs}},
                  {result.data(), test.result}, step);
        EXPECT_TRUE(std::all_of(result.begin() + int64_t(size), result.end(),
                                [](char c) { return c == 0x5a; }))
            << test.name;
        compare(test, lhs, rhs, result, target.cpu);
        if (first[number].empty())
          first[number] = result;
        if (first[number] == result)
          continue;
        size_t at = size_t(
            std::mismatch(result.begin(), result.end(), first[number].begin())
                .first -
            result.begin());
        const char *
            here = &result[at / test.element.bytes() * test.element.bytes()],
           *there =
               &first[number][at / test.element.bytes() * test.element.bytes()];
        ADD_FAILURE() << test.name << ", element " << at / test.element.bytes()
                      << ": " << test.element.read(here) << " for "
                      << target.cpu << ", tasks by " << step << ", and "
                      << test.element.read(there) << " before";
      }
  }
}

class Types : public testing::TestWithParam<const FloatType *> {};

TEST_P(Types, Products) {
  const FloatType &of = *GetParam();
  std::vector<TypedCase> cases;
  for (bool lhsTransposed : {false, true})
    for (bool rhsTransposed : {false, true}) {
      for (auto [batch, m, n, k] : {std::array<int64_t, 4>{1, 1, 17, 300},
                                    {3, 7, 50, 33},
                                    {2, 17, 16, 129},
                                    {1, 33, 9, 1},
                                    {2, 5, 1, 65}})
        cases.push_back(
            product(of, of, batch, m, n, k, lhsTransposed, rhsTransposed));
      if (&of != &f64)
        cases.push_back(
            product(of, f32, 2, 7, 19, 140, lhsTransposed, rhsTransposed));
    }
  checkTypes(cases);
}

// For some targets the last panel ends in half a vector.
TEST_P(Types, Panels) {
  const FloatType &of = *GetParam();
  std::vector<TypedCase> cases;
  for (int64_t columns : {12, 20, 28})
    for (int64_t sums : {5, 300})
      for (int64_t rows : {1, 2, 3, 7, 9})
        cases.push_back(
            inPanels(product(of, of, 1, rows, columns, sums, false, false)));
  checkTypes(cases);
}

TEST_P(Types, Convolutions) {
  const FloatType &of = *GetParam();
  checkTypes({convolution(of, 9, 11, 5, 19, 3, 1, 1),
              inPlanes(convolution(of, 9, 11, 3, 19, 3, 2, 1)),
              convolution(of, 8, 17, 64, 33, 3, 2, 1),
              convolution(of, 7, 7, 130, 16, 1, 1, 1),
              convolution(of, 10, 9, 12, 18, 3, 1, 3)});
}

TEST_P(Types, Depthwise) {
  const FloatType &of = *GetParam();
  checkTypes({convolution(of, 9, 13, 17, 17, 3, 1, 17),
              convolution(of, 11, 10, 48, 48, 3, 2, 48),
              convolution(of, 12, 12, 33, 33, 5, 1, 33),
              convolution(of, 9, 8, 6, 12, 3, 1, 6)});
}

INSTANTIATE_TEST_SUITE_P(AllFloats, Types,
                         testing::Values(&f16, &bf16, &f32, &f64),
                         [](const auto &info) {
                           return std::string(info.param->name);
                         });

} // namespace
