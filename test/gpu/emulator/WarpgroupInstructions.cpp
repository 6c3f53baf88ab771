// wgmma: products of matrices in shared memory by four warps together. Each
// warp computes 16 of the 64 rows.
#include "test/gpu/emulator/Block.h"
#include "test/gpu/emulator/Fragments.h"
#include "test/gpu/emulator/MatrixDescriptor.h"
#include "test/gpu/emulator/MatrixFactors.h"

#include <cstring>

namespace tenon::ptx {
namespace {
constexpr int rowsOfWarp = 16, maxDepth = 32, maxColumns = 256;
/// One instruction has this depth; shared memory is read in pieces.
constexpr uint32_t depthBytes = 32, pieceBytes = 16;

/// Instruction::second.
enum : uint32_t {
  Saturates = 1,
  NegatesA = 2,
  NegatesB = 4,
  TransposesA = 8,
  TransposesB = 16,
  HasRegistersOfA = 32,
};

/// Instruction::first: the factors, and the columns from bit 16 on. Reads: the
/// predicate whether to accumulate, the descriptor of B, then that of A or its
/// registers.
struct Product {
  explicit Product(const Instruction &instruction)
      : a(Factor(instruction.first & 0xff)),
        b(Factor(instruction.first >> 8 & 0xff)),
        columns(int(instruction.first >> 16)), flags(instruction.second) {}
  int elementBytes() const { return bitsOf(a) / 8; }
  int depth() const { return int(depthBytes) / elementBytes(); }
  bool has(uint32_t flag) const { return flags & flag; }

  Factor a, b;
  int columns;
  uint32_t flags;
};

/// Rows of a matrix in shared memory, and their pieces.
struct Matrix {
  Matrix(Warp &warp, Factor factor, uint64_t descriptor, bool transposes)
      : warp(warp), factor(factor), at(descriptor), transposes(transposes) {
    if (!at.isValid)
      warp.fail("a descriptor with bits that mean nothing");
    if (at.baseOffset)
      warp.fail("a descriptor with a base offset, which is not emulated");
  }

  /// Calls body(row, depth, address) for the first element of each piece.
  template <typename Body> void forPieces(int first, int rows, Body body) {
    int each = int(pieceBytes) / (bitsOf(factor) / 8);
    if (transposes) {
      for (int depth = 0; depth < 2 * each; ++depth)
        for (int row = first; row < first + rows; row += each)
          body(row, depth,
               at.pieceOfRows(uint32_t(depth), uint32_t(row / each)));
      return;
    }
    for (int row = first; row < first + rows; ++row)
      for (int piece = 0; piece < 2; ++piece)
        body(row, piece * each,
             at.pieceOfDepth(uint32_t(row), uint32_t(piece)));
  }

  void addReads(int first, int rows, std::vector<uint64_t> &reads) {
    forPieces(first, rows,
              [&](int, int, uint64_t address) { reads.push_back(address); });
  }

  /// Calls set(row, depth) = value for all elements.
  template <typename Set> void read(int first, int rows, double sign, Set set) {
    int bytes = bitsOf(factor) / 8, each = int(pieceBytes) / bytes;
    forPieces(first, rows, [&](int row, int depth, uint64_t address) {
      const uint8_t *piece = warp.block.shared.at(address);
      for (int i = 0; i < each; ++i) {
        uint32_t bits = 0;
        std::memcpy(&bits, piece + i * bytes, size_t(bytes));
        set(transposes ? row + i : row, transposes ? depth : depth + i) =
            sign * factorIn(warp, 0, factor, bits, 0);
      }
    });
  }

  Warp &warp;
  Factor factor;
  MatrixDescriptor at;
  bool transposes;
};

void readRegisters(Warp &warp, const Instruction &instruction,
                   const Product &product, double (&a)[rowsOfWarp][maxDepth]) {
  int parts = 4 / product.elementBytes();
  for (int word = 0; word < 4; ++word)
    for (int lane = 0; lane < warpLanes; ++lane)
      for (int part = 0; part < parts; ++part) {
        Place at = placeInA(lane, word, part, rowsOfWarp, parts);
        a[at.row][at.column] =
            factorIn(warp, lane, product.a,
                     warp.lanes<uint32_t>(instruction.reads[2 + word])[lane],
                     part) *
            (product.has(NegatesA) ? -1 : 1);
      }
}

/// Adds the products of eight columns to their registers.
void addPanel(Warp &warp, const Instruction &instruction,
              const Product &product, int panel, bool accumulates,
              const double (&a)[rowsOfWarp][maxDepth], const double (*b)[8]) {
  double sums[rowsOfWarp][8] = {};
  bool isWhole = isInteger(product.a);
  auto forSums = [&](auto body) {
    for (int i = 0; i < 4; ++i) {
      uint32_t *words = warp.lanes<uint32_t>(instruction.writes[4 * panel + i]);
      for (int lane = 0; lane < warpLanes; ++lane) {
        Place at = placeInC(lane, i, rowsOfWarp);
        body(words[lane], sums[at.row][at.column]);
      }
    }
  };
  if (accumulates)
    forSums([&](uint32_t word, double &sum) {
      sum = isWhole ? int32_t(word) : std::bit_cast<float>(word);
    });
  for (int row = 0; row < rowsOfWarp; ++row)
    addProducts(a[row], b, product.depth(), sums[row]);
  forSums([&](uint32_t &word, double sum) {
    word = isWhole ? integerSum(sum, product.has(Saturates))
                   : std::bit_cast<uint32_t>(roundedToFloat(sum));
  });
}

void requireWarpgroup(Warp &warp, uint32_t mask) {
  requireWholeWarp(warp, mask);
  if (warp.number / 4 * 4 + 4 > warp.block.launch.threads / warpLanes)
    warp.fail("expects four whole warps");
}

void multiply(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireWarpgroup(warp, mask);
  Product product(instruction);
  uint32_t scale = warp.predicate(instruction.reads[0]);
  if (instruction.negated & 1)
    scale = ~scale;
  if (scale != 0 && scale != allLanes)
    warp.fail("scale-d differs between lanes");
  bool hasRegisters = product.has(HasRegistersOfA);
  auto b = warp.uniform<uint64_t>(instruction.reads[1], mask, "a descriptor");
  uint64_t a = hasRegisters ? 0
                            : warp.uniform<uint64_t>(instruction.reads[2], mask,
                                                     "a descriptor");
  warp.block.warpgroups.step(warp, instruction, a, b, scale);

  MatrixOperation operation;
  operation.instruction = &instruction;
  operation.sums.assign(instruction.writes,
                        instruction.writes + product.columns / 2);
  if (hasRegisters)
    operation.factors.assign(instruction.reads + 2, instruction.reads + 6);
  Matrix rows(warp, product.a, a, product.has(TransposesA)),
      columns(warp, product.b, b, product.has(TransposesB));
  int first = int(warp.number % 4) * rowsOfWarp;
  if (!hasRegisters)
    rows.addReads(first, rowsOfWarp, operation.reads);
  columns.addReads(0, product.columns, operation.reads);
  warp.matrixUnit->begin(warp, std::move(operation), scale);

  double left[rowsOfWarp][maxDepth];
  // Not in memory of the thread: programs start threads with small stacks.
  auto right = std::make_unique_for_overwrite<double[][maxDepth][8]>(
      size_t(product.columns) / 8);
  if (hasRegisters)
    readRegisters(warp, instruction, product, left);
  else
    rows.read(first, rowsOfWarp, product.has(NegatesA) ? -1 : 1,
              [&](int row, int depth) -> double & {
                return left[row - first][depth];
              });
  columns.read(0, product.columns, product.has(NegatesB) ? -1 : 1,
               [&](int column, int depth) -> double & {
                 return right[column / 8][depth][column % 8];
               });
  for (int panel = 0; panel < product.columns / 8; ++panel)
    addPanel(warp, instruction, product, panel, scale, left, right[panel]);
}

void fence(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireWarpgroup(warp, mask);
  warp.block.warpgroups.step(warp, instruction);
  warp.matrixUnit->fence();
}

void commit(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireWarpgroup(warp, mask);
  warp.block.warpgroups.step(warp, instruction);
  warp.matrixUnit->commit();
}

/// number: the groups that may be under way.
void wait(Warp &warp, const Instruction &instruction, uint32_t mask) {
  requireWarpgroup(warp, mask);
  warp.block.warpgroups.step(warp, instruction);
  warp.matrixUnit->wait(warp, uint64_t(instruction.number));
}

/// m64nNkK: the columns N.
int takeShape(Decoding &d, std::string &depth) {
  std::string shape = d.takeAny();
  size_t k = shape.find('k');
  if (!shape.starts_with("m64n") || k == std::string::npos)
    d.refuse("expected .m64nNkK");
  depth = shape.substr(k);
  int columns = std::atoi(shape.c_str() + 4);
  if (columns < 8 || columns > maxColumns || columns % 8 ||
      shape != "m64n" + std::to_string(columns) + depth)
    d.refuse("no product of this shape");
  return columns;
}

/// 1 or -1.
bool takeSign(Decoding &d, size_t operand) {
  auto sign = int64_t(d.constant(operand));
  if (sign != 1 && sign != -1)
    d.refuse("expected 1 or -1");
  return sign < 0;
}

bool takeBit(Decoding &d, size_t operand) {
  uint64_t bit = d.constant(operand);
  if (bit > 1)
    d.refuse("expected 0 or 1");
  return bit;
}

/// The operands behind scale-d.
void takeScales(Decoding &d, Factor factor, uint32_t &flags) {
  bool isSmall = factor == Factor::F16 || factor == Factor::BF16;
  size_t transposes = !isSmall ? 0 : flags & HasRegistersOfA ? 1 : 2;
  if (isInteger(factor))
    return d.expectOperands(4);
  d.expectOperands(6 + transposes);
  flags |= takeSign(d, 4) ? NegatesA : 0;
  flags |= takeSign(d, 5) ? NegatesB : 0;
  if (transposes == 2)
    flags |= takeBit(d, 6) ? TransposesA : 0;
  if (transposes)
    flags |= takeBit(d, 5 + transposes) ? TransposesB : 0;
}

void decodeProduct(Decoding &d) {
  std::string depth;
  int columns = takeShape(d, depth);
  uint32_t flags = d.take("satfinite") ? Saturates : 0;
  std::string sum = d.takeOneOf({"f32", "s32"});
  Factor a = takeFactor(d), b = takeFactor(d);
  bool isWhole = isInteger(a);
  if (isWhole != (sum == "s32") || isWhole != isInteger(b) ||
      (!isWhole && (a != b || flags)))
    d.refuse("no such sum of products of this type");
  if (a != b)
    d.need(90, 84);
  if (depth != "k" + std::to_string(int(depthBytes) * 8 / bitsOf(a)) ||
      (isWhole && columns > 32 && columns % 16))
    d.refuse("no product of this shape and type");
  if (d.operand(1).form == Operand::Form::Vector)
    flags |= HasRegistersOfA;
  takeScales(d, a, flags);
  for (const Operand &word : d.vector(0, size_t(columns) / 2))
    d.write(word, b32);
  d.read(3, predicateType);
  d.read(2, b64);
  if (flags & HasRegistersOfA)
    for (const Operand &word : d.vector(1, 4))
      d.read(word, b32);
  else
    d.read(1, b64);
  d.made.first = uint32_t(a) | uint32_t(b) << 8 | uint32_t(columns) << 16;
  d.made.second = flags;
  d.made.run = multiply;
}

void decodeWarpgroup(Decoding &d) {
  d.made.group = Group::Matrix;
  d.needVariant("sm_90a");
  d.need(90, 80);
  d.useMatrixUnit();
  std::string name =
      d.takeOneOf({"mma_async", "fence", "commit_group", "wait_group"});
  if (!d.take("sync") || !d.take("aligned"))
    d.refuse("expected .sync.aligned");
  if (name == "mma_async")
    return decodeProduct(d);
  d.made.run = name == "fence" ? fence : name == "commit_group" ? commit : wait;
  d.expectOperands(name == "wait_group");
  if (name == "wait_group")
    d.made.number = int64_t(d.constant(0));
}

void nothing(Warp &, const Instruction &, uint32_t) {}

/// How many registers a warp may have is not emulated.
void decodeRegisterCount(Decoding &d) {
  d.made.group = Group::Control;
  d.needVariant("sm_90a");
  d.need(90, 80);
  d.takeOneOf({"inc", "dec"});
  if (!d.take("sync") || !d.take("aligned") || !d.take("u32"))
    d.refuse("expected .sync.aligned.u32");
  d.expectOperands(1);
  uint64_t count = d.constant(0);
  if (count < 24 || count > 256 || count % 8)
    d.refuse("expected a multiple of 8 from 24 to 256");
  d.made.run = nothing;
}
} // namespace

std::vector<InstructionRow> warpgroupRows() {
  return {{"wgmma", decodeWarpgroup}, {"setmaxnreg", decodeRegisterCount}};
}

} // namespace tenon::ptx
