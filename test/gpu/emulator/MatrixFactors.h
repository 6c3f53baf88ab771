// What the instructions for matrices share: their types of factors, and the
// rule that all lanes execute them.
#ifndef TENON_TEST_GPU_EMULATOR_MATRIXFACTORS_H
#define TENON_TEST_GPU_EMULATOR_MATRIXFACTORS_H

#include "test/gpu/emulator/Decoding.h"
#include "test/gpu/emulator/MatrixProduct.h"
#include "test/gpu/emulator/Warp.h"

namespace tenon::ptx {

/// .f16, .bf16, .tf32, .s8 or .u8
Factor takeFactor(Decoding &decoding);

/// Element `part` of a word of factors. A finding if it is no number of its
/// type: the low 13 bits of .tf32 must be zero, as devices may ignore or use
/// them.
double factorIn(Warp &warp, int lane, Factor factor, uint32_t word, int part);

/// An exact sum as 32 bits: wrapped, or clamped.
uint32_t integerSum(double sum, bool saturates);

/// A finding unless all 32 lanes of the warp are at the instruction.
void requireWholeWarp(Warp &warp, uint32_t mask);

} // namespace tenon::ptx

#endif
