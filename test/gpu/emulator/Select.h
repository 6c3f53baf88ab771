// Chooses an instruction's function by its type.
#ifndef TENON_TEST_GPU_EMULATOR_SELECT_H
#define TENON_TEST_GPU_EMULATOR_SELECT_H

#include "test/gpu/emulator/Decoding.h"

namespace tenon::ptx {

/// make.operator()<T>() for the integer that the type is; refuses others.
template <typename Make>
Instruction::Run forInteger(Decoding &d, Type type, Make make) {
  bool isSigned = type.kind == Kind::Signed;
  if (type.kind == Kind::Float || type.kind == Kind::BFloat)
    d.refuse("expected an integer type");
  switch (type.bits) {
  case 16:
    return isSigned ? make.template operator()<int16_t>()
                    : make.template operator()<uint16_t>();
  case 32:
    return isSigned ? make.template operator()<int32_t>()
                    : make.template operator()<uint32_t>();
  case 64:
    return isSigned ? make.template operator()<int64_t>()
                    : make.template operator()<uint64_t>();
  default:
    d.refuse("no integers of " + std::to_string(type.bits) + " bits here");
  }
}

/// The same for words of 16 to 64 bits, of any kind.
template <typename Make>
Instruction::Run forBits(Decoding &d, Type type, Make make) {
  switch (type.bits) {
  case 16:
    return make.template operator()<uint16_t>();
  case 32:
    return make.template operator()<uint32_t>();
  case 64:
    return make.template operator()<uint64_t>();
  default:
    d.refuse("no words of " + std::to_string(type.bits) + " bits here");
  }
}

} // namespace tenon::ptx

#endif
