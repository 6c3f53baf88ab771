// mma.sync: a product of matrices in the registers of a warp.
#include "test/gpu/emulator/Fragments.h"
#include "test/gpu/emulator/Lanes.h"
#include "test/gpu/emulator/MatrixFactors.h"
#include "test/gpu/emulator/SmallFloats.h"

#include <algorithm>

namespace tenon::ptx {
namespace {
/// A shape, and what has it.
struct Form {
  const char *shape;
  int rows, depth;
  Factor factor;
  int architecture, version;
};
constexpr Form forms[] = {
    {"m16n8k8", 16, 8, Factor::F16, 75, 65},
    {"m16n8k16", 16, 16, Factor::F16, 80, 70},
    {"m16n8k8", 16, 8, Factor::BF16, 80, 70},
    {"m16n8k16", 16, 16, Factor::BF16, 80, 70},
    {"m16n8k4", 16, 4, Factor::TF32, 80, 70},
    {"m16n8k8", 16, 8, Factor::TF32, 80, 70},
    {"m8n8k16", 8, 16, Factor::S8, 75, 65},
    {"m16n8k16", 16, 16, Factor::S8, 80, 70},
    {"m16n8k32", 16, 32, Factor::S8, 80, 70},
};
constexpr int maxRows = 16, maxDepth = 32;

enum class Sum : uint8_t { F32, F16, S32 };

/// Instruction::first: the factors of A and B, the sum, whether it saturates.
/// Instruction::second: rows, and the depth from bit 8 on.
struct Product {
  explicit Product(const Instruction &instruction)
      : a(Factor(instruction.first & 0xff)),
        b(Factor(instruction.first >> 8 & 0xff)),
        sum(Sum(instruction.first >> 16 & 0xff)),
        saturates(instruction.first >> 24),
        rows(int(instruction.second & 0xff)),
        depth(int(instruction.second >> 8)) {}
  int parts() const { return 32 / bitsOf(a); }
  int wordsOfA() const { return rows / 8 * wordsOfB(); }
  int wordsOfB() const { return depth * bitsOf(b) / 128; }
  int wordsOfC() const { return sum == Sum::F16 ? rows / 8 : rows / 4; }

  Factor a, b;
  Sum sum;
  bool saturates;
  int rows, depth;
};

struct Matrices {
  double a[maxRows][maxDepth], b[maxDepth][8], sums[maxRows][8];
};

void readFactors(Warp &warp, const Instruction &instruction,
                 const Product &product, Matrices &matrices) {
  int parts = product.parts(), words = product.wordsOfA();
  for (int i = 0; i < words + product.wordsOfB(); ++i) {
    bool isA = i < words;
    const uint32_t *word = warp.lanes<uint32_t>(instruction.reads[i]);
    for (int lane = 0; lane < warpLanes; ++lane)
      for (int part = 0; part < parts; ++part) {
        double value =
            factorIn(warp, lane, isA ? product.a : product.b, word[lane], part);
        if (isA) {
          Place at = placeInA(lane, i, part, product.rows, parts);
          matrices.a[at.row][at.column] = value;
        } else {
          Place at = placeInB(lane, i - words, part, parts);
          matrices.b[at.row][at.column] = value;
        }
      }
  }
}

double sumIn(const Product &product, uint32_t word, int part) {
  switch (product.sum) {
  case Sum::F32:
    return std::bit_cast<float>(word);
  case Sum::F16:
    return widened(Half{uint16_t(word >> 16 * part)});
  case Sum::S32:
    return int32_t(word);
  }
  return 0;
}

uint32_t sumBits(const Product &product, double sum) {
  switch (product.sum) {
  case Sum::F32:
    return std::bit_cast<uint32_t>(roundedToFloat(sum));
  case Sum::F16:
    return narrowed<Half>(sum).bits;
  case Sum::S32:
    return integerSum(sum, product.saturates);
  }
  return 0;
}

/// Calls body(lane, word, part, sum) for all elements of C.
template <typename Body>
void forSums(const Product &product, Matrices &matrices, Body body) {
  int parts = product.sum == Sum::F16 ? 2 : 1;
  for (int i = 0; i < product.rows / 4; ++i)
    for (int lane = 0; lane < warpLanes; ++lane) {
      Place at = placeInC(lane, i, product.rows);
      body(lane, i / parts, i % parts, matrices.sums[at.row][at.column]);
    }
}

void multiply(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireWholeWarp(warp, mask);
  Product product(instruction);
  Matrices matrices;
  readFactors(warp, instruction, product, matrices);
  const Slot *sums =
      instruction.reads + product.wordsOfA() + product.wordsOfB();
  forSums(product, matrices, [&](int lane, int word, int part, double &sum) {
    sum = sumIn(product, warp.lanes<uint32_t>(sums[word])[lane], part);
  });
  for (int row = 0; row < product.rows; ++row)
    addProducts(matrices.a[row], matrices.b, product.depth, matrices.sums[row]);
  forSums(product, matrices, [&](int lane, int word, int part, double sum) {
    uint32_t &made = warp.lanes<uint32_t>(instruction.writes[word])[lane];
    uint32_t bits = sumBits(product, sum);
    made = part ? (made & 0xffff) | bits << 16 : bits;
  });
}

const Form &formOf(Decoding &d, const std::string &shape, Factor factor) {
  Factor kind = isInteger(factor) ? Factor::S8 : factor;
  for (const Form &form : forms)
    if (form.shape == shape && form.factor == kind)
      return form;
  d.refuse("no products of this shape and type are emulated");
}

void decodeProduct(Decoding &d) {
  d.made.group = Group::Matrix;
  if (!d.take("sync") || !d.take("aligned"))
    d.refuse("expected .sync.aligned");
  std::string shape =
      d.takeOneOf({"m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m8n8k16"});
  if (!d.take("row") || !d.take("col"))
    d.refuse("expected .row.col");
  bool saturates = d.take("satfinite");
  std::string sum = d.takeOneOf({"f32", "f16", "s32"});
  Factor a = takeFactor(d), b = takeFactor(d);
  if (!d.take(sum.c_str()))
    d.refuse("expected the types of both sums to be equal");
  const Form &form = formOf(d, shape, a);
  d.need(form.architecture, form.version);
  if (isInteger(a) ? !isInteger(b) : a != b)
    d.refuse("expected factors of one type");
  if (isInteger(a) != (sum == "s32") || (sum == "f16" && a != Factor::F16) ||
      (saturates && !isInteger(a)))
    d.refuse("no such sum of products of this type");
  d.made.first = uint32_t(a) | uint32_t(b) << 8 |
                 uint32_t(sum == "f32"   ? Sum::F32
                          : sum == "f16" ? Sum::F16
                                         : Sum::S32)
                     << 16 |
                 uint32_t(saturates) << 24;
  d.made.second = uint32_t(form.rows) | uint32_t(form.depth) << 8;
  d.made.run = multiply;
  Product product(d.made);
  d.expectOperands(4);
  for (const Operand &word : d.vector(0, size_t(product.wordsOfC())))
    d.write(word, b32);
  for (const Operand &word : d.vector(1, size_t(product.wordsOfA())))
    d.read(word, b32);
  for (const Operand &word : d.vector(2, size_t(product.wordsOfB())))
    d.read(word, b32);
  for (const Operand &word : d.vector(3, size_t(product.wordsOfC())))
    d.read(word, b32);
}
} // namespace

std::vector<InstructionRow> matrixRows() { return {{"mma", decodeProduct}}; }

} // namespace tenon::ptx
