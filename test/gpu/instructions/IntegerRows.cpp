// Arithmetic of integers: exact in 128 bits, then taken modulo the type's size.
#include "test/gpu/instructions/Rows.h"

namespace tenon::ptx {
namespace {
using Wide = __int128;
using WideFunction = std::function<Wide(Wide, Wide, Wide)>;

/// A row of one type whose result has `resultBits`.
Row rowOf(const std::string &text, IntegerType type, int resultBits,
          int operands, WideFunction function) {
  IntegerType third{type.isSigned, resultBits};
  return {text + "." + type.name(),
          resultBits,
          type.bits,
          operands > 1 ? type.bits : 0,
          operands > 2 ? resultBits : 0,
          [=](Bits a, Bits b, Bits c) {
            return Bits(
                function(type.valueOf(a), type.valueOf(b), third.valueOf(c)));
          }};
}

/// The upper half of a product.
Bits highOf(IntegerType type, Bits a, Bits b) {
  if (type.bits < 64)
    return Bits(type.valueOf(a) * type.valueOf(b) >> type.bits);
  if (type.isSigned)
    return Bits(Wide(int64_t(a)) * int64_t(b) >> 64);
  return Bits((unsigned __int128)a * b >> 64);
}
} // namespace

std::vector<Row> integerRowsOf() {
  std::vector<Row> rows;
  for (IntegerType type : integerTypes) {
    int bits = type.bits;
    auto add = [&](const char *text, int operands, WideFunction function) {
      rows.push_back(rowOf(text, type, bits, operands, function));
      return &rows.back();
    };
    add("add", 2, [](Wide a, Wide b, Wide) { return a + b; });
    add("sub", 2, [](Wide a, Wide b, Wide) { return a - b; });
    add("mul.lo", 2, [](Wide a, Wide b, Wide) {
      return Wide((unsigned __int128)a * (unsigned __int128)b);
    });
    add("mad.lo", 3, [](Wide a, Wide b, Wide c) {
      return Wide((unsigned __int128)a * (unsigned __int128)b +
                  (unsigned __int128)c);
    });
    add("min", 2, [](Wide a, Wide b, Wide) { return a < b ? a : b; });
    add("max", 2, [](Wide a, Wide b, Wide) { return a > b ? a : b; });
    add("div", 2, [](Wide a, Wide b, Wide) { return a / b; })->divides = true;
    add("rem", 2, [](Wide a, Wide b, Wide) { return a % b; })->divides = true;
    rows.push_back({"mul.hi." + type.name(), bits, bits, bits, 0,
                    [=](Bits a, Bits b, Bits) { return highOf(type, a, b); }});
    rows.push_back(
        {"mad.hi." + type.name(), bits, bits, bits, bits,
         [=](Bits a, Bits b, Bits c) { return highOf(type, a, b) + c; }});
    if (type.isSigned) {
      add("neg", 1, [](Wide a, Wide, Wide) { return -a; });
      add("abs", 1, [](Wide a, Wide, Wide) { return a < 0 ? -a : a; });
    }
    if (bits < 64) {
      rows.push_back(rowOf("mul.wide", type, 2 * bits, 2,
                           [](Wide a, Wide b, Wide) { return a * b; }));
      rows.push_back(rowOf("mad.wide", type, 2 * bits, 3,
                           [](Wide a, Wide b, Wide c) { return a * b + c; }));
    }
  }
  for (bool aSigned : {true, false})
    for (bool bSigned : {true, false})
      rows.push_back({std::string("dp4a.") + (aSigned ? "s32" : "u32") +
                          (bSigned ? ".s32" : ".u32"),
                      32, 32, 32, 32, [=](Bits a, Bits b, Bits c) {
                        Bits sum = c;
                        for (int i = 0; i < 32; i += 8) {
                          int x = int(a >> i & 0xff), y = int(b >> i & 0xff);
                          x -= aSigned && x > 127 ? 256 : 0;
                          y -= bSigned && y > 127 ? 256 : 0;
                          sum += Bits(int64_t(x) * y);
                        }
                        return sum;
                      }});
  return rows;
}

} // namespace tenon::ptx
