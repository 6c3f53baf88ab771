// Comparisons and choices.
#include "test/gpu/instructions/Rows.h"

namespace tenon::ptx {
namespace {
/// A relation by what it holds for: less, equal, greater, unordered.
struct Relation {
  const char *name;
  bool less, equal, greater, unordered;
};
constexpr Relation ofIntegers[] = {
    {"eq", false, true, false, false}, {"ne", true, false, true, false},
    {"lt", true, false, false, false}, {"le", true, true, false, false},
    {"gt", false, false, true, false}, {"ge", false, true, true, false}};
constexpr Relation ofUnsigned[] = {{"lo", true, false, false, false},
                                   {"ls", true, true, false, false},
                                   {"hi", false, false, true, false},
                                   {"hs", false, true, true, false}};
constexpr Relation ofFloats[] = {
    {"equ", false, true, false, true}, {"neu", true, false, true, true},
    {"ltu", true, false, false, true}, {"leu", true, true, false, true},
    {"gtu", false, false, true, true}, {"geu", false, true, true, true},
    {"num", true, true, true, false},  {"nan", false, false, false, true}};

template <typename T> bool holds(const Relation &relation, T x, T y) {
  return (x < y && relation.less) || (x == y && relation.equal) ||
         (x > y && relation.greater) ||
         (!(x < y) && !(x == y) && !(x > y) && relation.unordered);
}

void addIntegers(std::vector<Row> &rows, const Relation &relation,
                 IntegerType type, const std::string &name) {
  rows.push_back({std::string("setp.") + relation.name + "." + name, 1,
                  type.bits, type.bits, 0, [=](Bits a, Bits b, Bits) {
                    return Bits(
                        holds(relation, type.valueOf(a), type.valueOf(b)));
                  }});
}

void addFloats(std::vector<Row> &rows, const Relation &relation) {
  for (const Format &format : {f16, bf16, f32, f64})
    rows.push_back(
        {std::string("setp.") + relation.name + "." + format.name,
         1,
         format.bits,
         format.bits,
         0,
         [=](Bits a, Bits b, Bits) {
           return Bits(holds(relation, valueOf(format, a), valueOf(format, b)));
         },
         {},
         format.bits == 16 && format.exponentBits == 8 ? 90 : 75});
}

/// Two small floats in a word: a predicate for the lower one, another for the
/// upper one.
void addPairs(std::vector<Row> &rows, const Relation &relation) {
  for (const Format &format : {f16, bf16})
    rows.push_back(
        {std::string("setp.") + relation.name + "." + format.name + "x2",
         2,
         32,
         32,
         0,
         [=](Bits a, Bits b, Bits) {
           auto half = [&](int shift) {
             return Bits(holds(relation, valueOf(format, a >> shift & 0xffff),
                               valueOf(format, b >> shift & 0xffff)));
           };
           return half(0) | half(16) << 1;
         },
         {},
         format.exponentBits == 8 ? 90 : 75});
}
} // namespace

std::vector<Row> compareRowsOf() {
  std::vector<Row> rows;
  for (IntegerType type : integerTypes) {
    for (const Relation &relation : ofIntegers)
      addIntegers(rows, relation, type, type.name());
    if (type.isSigned)
      continue;
    for (const Relation &relation : ofUnsigned)
      addIntegers(rows, relation, type, type.name());
    for (int i : {0, 1})
      addIntegers(rows, ofIntegers[i], type, "b" + std::to_string(type.bits));
  }
  for (const Relation &relation : ofIntegers) {
    addFloats(rows, relation);
    addPairs(rows, relation);
  }
  for (const Relation &relation : ofFloats) {
    addFloats(rows, relation);
    addPairs(rows, relation);
  }
  // selp takes the predicate from the lowest bit of c.
  for (const char *type : {"b16", "b32", "b64", "u32", "s64", "f32", "f64"}) {
    int bits = std::stoi(type + 1);
    rows.push_back({std::string("selp.") + type, bits, bits, bits, 32,
                    [](Bits a, Bits b, Bits c) { return c & 1 ? a : b; }});
  }
  return rows;
}

} // namespace tenon::ptx
