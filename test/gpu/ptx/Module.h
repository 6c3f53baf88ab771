// The text of a PTX module, read but not yet checked against an architecture:
// variables, functions and their statements, each with its line.
#ifndef TENON_TEST_GPU_PTX_MODULE_H
#define TENON_TEST_GPU_PTX_MODULE_H

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::ptx {

/// A mistake in a PTX text.
struct TextError : std::runtime_error {
  TextError(int line, const std::string &what)
      : std::runtime_error("line " + std::to_string(line) + ": " + what),
        line(line) {}
  /// The same in a function.
  TextError(const TextError &error, const std::string &function)
      : std::runtime_error(function + ": " + error.what()), line(error.line) {}
  int line;
};

enum class Kind { Bits, Unsigned, Signed, Float, BFloat, Predicate };

/// A fundamental type: .b32 is {Bits, 32}.
struct Type {
  Kind kind = Kind::Bits;
  int bits = 0;
  int bytes() const { return (bits + 7) / 8; }
  bool operator==(const Type &) const = default;
};

enum class Space { Generic, Global, Shared, Local, Param, Const };

struct Operand {
  enum class Form {
    Name,    // a register, a variable, a label or a function
    Integer, // `bits`
    Float32, // `bits`
    Float64, // `bits`
    Address, // [name + offset], or [offset] without a name
    Vector,  // {elements}
    List,    // (elements)
    Sink,    // _
  };
  Form form = Form::Name;
  std::string name;
  uint64_t bits = 0;
  int64_t offset = 0;
  bool negated = false; // !name
  /// The second name of `a|b`, or empty.
  std::string second;
  std::vector<Operand> elements;
};

/// One instruction.
struct Statement {
  int line = 0;
  std::string guard; // the predicate's name, or empty
  bool guardNegated = false;
  std::string name;                   // "ld"
  std::vector<std::string> modifiers; // "global", "v4", "b32"
  std::vector<Operand> operands;
};

struct Variable {
  int line = 0;
  Space space = Space::Generic;
  std::string name;
  Type type;
  uint64_t align = 1;
  uint64_t bytes = 0;
  bool isExtern = false;
  std::vector<uint8_t> value; // empty: none
};

struct Function {
  int line = 0;
  std::string name;
  bool isEntry = false;
  std::vector<Variable> results, parameters;
  std::map<std::string, Type> registers;
  std::vector<Variable> variables;
  std::vector<Statement> body;
  /// The statement that follows each label.
  std::map<std::string, size_t> labels;
  /// The labels of each `.branchtargets`.
  std::map<std::string, std::vector<std::string>> branchTargets;
  /// Values of .maxntid, .reqntid and the like; 0 where unset.
  std::vector<uint32_t> maxThreads, exactThreads;
};

struct Module {
  int version = 0;          // 7.8 is 78
  std::string architecture; // "sm_90a"
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

/// Reads a module. Throws TextError.
Module parse(const std::string &text);

} // namespace tenon::ptx

#endif
