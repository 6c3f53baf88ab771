// Logic, shifts and fields, bit by bit where that is simple.
#include "test/gpu/instructions/Rows.h"

namespace tenon::ptx {
namespace {
std::string wordName(int bits) { return ".b" + std::to_string(bits); }

void addLogic(std::vector<Row> &rows, int bits) {
  std::string type = wordName(bits);
  rows.push_back({"and" + type, bits, bits, bits, 0,
                  [](Bits a, Bits b, Bits) { return a & b; }});
  rows.push_back({"or" + type, bits, bits, bits, 0,
                  [](Bits a, Bits b, Bits) { return a | b; }});
  rows.push_back({"xor" + type, bits, bits, bits, 0,
                  [](Bits a, Bits b, Bits) { return a ^ b; }});
  rows.push_back(
      {"not" + type, bits, bits, 0, 0, [](Bits a, Bits, Bits) { return ~a; }});
  rows.push_back(
      {"mov" + type, bits, bits, 0, 0, [](Bits a, Bits, Bits) { return a; }});
}

void addShifts(std::vector<Row> &rows, int bits) {
  Bits most = Bits(bits);
  rows.push_back({"shl" + wordName(bits), bits, bits, 32, 0,
                  [=](Bits a, Bits b, Bits) { return b < most ? a << b : 0; }});
  for (const char *type : {".u", ".b"})
    rows.push_back(
        {std::string("shr") + type + std::to_string(bits), bits, bits, 32, 0,
         [=](Bits a, Bits b, Bits) { return b < most ? a >> b : 0; }});
  rows.push_back({"shr.s" + std::to_string(bits), bits, bits, 32, 0,
                  [=](Bits a, Bits b, Bits) {
                    Bits count = b < most ? b : most - 1;
                    return Bits(IntegerType{true, bits}.valueOf(a) >> count);
                  }});
}

void addFunnels(std::vector<Row> &rows) {
  for (bool left : {true, false})
    for (bool wraps : {true, false})
      rows.push_back(
          {std::string("shf") + (left ? ".l" : ".r") +
               (wraps ? ".wrap.b32" : ".clamp.b32"),
           32, 32, 32, 32, [=](Bits a, Bits b, Bits c) {
             Bits both = b << 32 | a, count = wraps ? c % 32 : c > 32 ? 32 : c;
             return left ? both << count >> 32 : both >> count;
           }});
}

/// PTX's pseudo-code of bfe.
Bits extracted(IntegerType type, Bits a, Bits b, Bits c) {
  int most = type.bits - 1, position = int(b & 0xff), length = int(c & 0xff);
  int last = position + length - 1 < most ? position + length - 1 : most;
  Bits sign = type.isSigned && length ? a >> last & 1 : 0, result = 0;
  for (int i = 0; i <= most; ++i) {
    Bits bit =
        i < length && position + i <= most ? a >> (position + i) & 1 : sign;
    result |= bit << i;
  }
  return result;
}

void addFields(std::vector<Row> &rows, int bits) {
  for (bool isSigned : {true, false}) {
    IntegerType type{isSigned, bits};
    rows.push_back(
        {"bfe." + type.name(), bits, bits, 32, 32,
         [=](Bits a, Bits b, Bits c) { return extracted(type, a, b, c); }});
  }
  for (int length : {0, 1, 7, 31, 40, 64, 200})
    rows.push_back({"bfi" + wordName(bits), bits, bits, bits, 32,
                    [=](Bits a, Bits b, Bits c) {
                      for (int i = 0, at = int(c & 0xff);
                           i < length && at < bits; ++i, ++at)
                        b = (b & ~(Bits(1) << at)) | (a >> i & 1) << at;
                      return b;
                    },
                    std::to_string(length)});
  rows.push_back(
      {"popc" + wordName(bits), 32, bits, 0, 0, [](Bits a, Bits, Bits) {
         Bits count = 0;
         for (; a; a &= a - 1)
           ++count;
         return count;
       }});
  rows.push_back(
      {"clz" + wordName(bits), 32, bits, 0, 0, [=](Bits a, Bits, Bits) {
         Bits count = 0;
         while (count < Bits(bits) && !(a >> (bits - 1 - count) & 1))
           ++count;
         return count;
       }});
  rows.push_back(
      {"brev" + wordName(bits), bits, bits, 0, 0, [=](Bits a, Bits, Bits) {
         Bits result = 0;
         for (int i = 0; i < bits; ++i)
           result |= (a >> i & 1) << (bits - 1 - i);
         return result;
       }});
}
} // namespace

std::vector<Row> bitRowsOf() {
  std::vector<Row> rows;
  for (int bits : {16, 32, 64}) {
    addLogic(rows, bits);
    addShifts(rows, bits);
  }
  addFunnels(rows);
  for (int bits : {32, 64})
    addFields(rows, bits);
  rows.push_back({"prmt.b32", 32, 32, 32, 32, [](Bits a, Bits b, Bits c) {
                    Bits both = b << 32 | a, result = 0;
                    for (int i = 0; i < 4; ++i) {
                      Bits which = c >> (4 * i),
                           byte = both >> (8 * (which & 7)) & 0xff;
                      if (which & 8)
                        byte = byte >= 0x80 ? 0xff : 0;
                      result |= byte << (8 * i);
                    }
                    return result;
                  }});
  for (int table : {0x80, 0xe8, 0x96, 0x1b, 0xca})
    rows.push_back({"lop3.b32", 32, 32, 32, 32,
                    [=](Bits a, Bits b, Bits c) {
                      Bits result = 0;
                      for (int i = 0; i < 32; ++i) {
                        Bits at = (a >> i & 1) << 2 | (b >> i & 1) << 1 |
                                  (c >> i & 1);
                        result |= Bits(table >> at & 1) << i;
                      }
                      return result;
                    },
                    std::to_string(table)});
  return rows;
}

} // namespace tenon::ptx
