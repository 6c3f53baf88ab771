// What an instruction's decoder sees: the statement's modifiers, taken in order
// and all of them, and its operands as slots.
#ifndef TENON_TEST_GPU_EMULATOR_DECODING_H
#define TENON_TEST_GPU_EMULATOR_DECODING_H

#include "test/gpu/emulator/Program.h"

#include <optional>

namespace tenon::ptx {

class Decoder;

class Decoding {
public:
  Decoding(Decoder &decoder, const Statement &statement, Instruction &made);

  /// Refuses the statement.
  [[noreturn]] void refuse(const std::string &what) const;
  /// Refuses the statement for older architectures or PTX versions.
  void need(int architecture, int version);
  /// Refuses the statement unless the module is for exactly this, as sm_90a.
  void needVariant(const char *name);
  /// The architecture: 80 for sm_80.
  int architecture() const;

  // Modifiers, in order.
  bool hasModifier() const { return taken < statement.modifiers.size(); }
  bool take(const char *modifier);
  /// The modifier that is one of the names; refuses if none is.
  std::string takeOneOf(std::initializer_list<const char *> names);
  /// The next modifier, whatever it is.
  std::string takeAny();
  /// A rounding .rn that must be there: without it the assembler may contract.
  void takeRounding();
  Type takeType();
  Space takeSpace();
  /// The elements of .v2 or .v4, or 1.
  int takeVector();
  void takeNoMore();

  // Operands.
  size_t numOperands() const { return statement.operands.size(); }
  const Operand &operand(size_t i) const;
  void expectOperands(size_t least, size_t most);
  void expectOperands(size_t count) { expectOperands(count, count); }
  /// The elements of a vector {a, b, ..} of `count` registers.
  const std::vector<Operand> &vector(size_t operand, size_t count) const;
  /// Reads an operand of the type: a register of its size, or a constant.
  void read(size_t operand, Type type);
  void read(const Operand &operand, Type type);
  /// Reads a register at least as wide as the type; its bytes.
  int readWide(const Operand &operand, Type type);
  void write(size_t operand, Type type);
  void write(const Operand &operand, Type type);
  /// Writes a register at least as wide as the type; its bytes.
  int writeWide(const Operand &operand, Type type);
  /// Reads the address as 64 bits; its offset becomes the instruction's number.
  /// A register of 32 bits holds an address in shared memory.
  void address(size_t operand, Space space);
  /// Reads the address with its offset added.
  void wholeAddress(size_t operand, Space space);
  /// The same of shared memory; a generic address must be in its window.
  void sharedAddress(size_t operand, Space space);
  /// A constant operand.
  uint64_t constant(size_t operand) const;
  /// The place of a label; known when all is decoded.
  void target(const std::string &label);
  void targets(const std::string &table);
  /// True in an inlined function, where `ret` is a branch to its end.
  bool isInlined() const;
  void targetEnd();

  /// The instruction is one for the matrix unit: what it writes has a value
  /// only once that was waited for.
  void useMatrixUnit();

  const Statement &statement;
  Instruction &made;

private:
  Slot addressRegister(const Operand &operand, Space space);

  Decoder &decoder;
  size_t taken = 0;
};

constexpr Type predicateType{Kind::Predicate, 1}, b32{Kind::Bits, 32},
    b64{Kind::Bits, 64};

/// A row of the instruction table.
struct InstructionRow {
  const char *name;
  void (*decode)(Decoding &);
};

/// The rows of each family.
std::vector<InstructionRow> integerRows(), bitRows(), floatRows(),
    convertRows(), compareRows(), moveRows(), memoryRows(), controlRows(),
    warpRows(), atomicRows(), asyncCopyRows(), matrixRows(), matrixMoveRows(),
    mbarrierRows(), warpgroupRows();

/// The row of an instruction, or null.
const InstructionRow *instructionNamed(const std::string &name);
/// The names of all rows.
std::vector<std::string> instructionNames();

} // namespace tenon::ptx

#endif
