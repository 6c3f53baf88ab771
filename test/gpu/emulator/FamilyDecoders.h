// Instructions of one name that are of integers or of floats: the decoders of
// the integer forms, for the float family that owns the names.
#ifndef TENON_TEST_GPU_EMULATOR_FAMILYDECODERS_H
#define TENON_TEST_GPU_EMULATOR_FAMILYDECODERS_H

#include "test/gpu/emulator/Select.h"

namespace tenon::ptx {

void decodeIntegerSum(Decoding &decoding, Type type, bool subtracts);
/// mul and mad, from .lo, .hi or .wide on.
void decodeIntegerProduct(Decoding &decoding, bool adds);
void decodeIntegerDivision(Decoding &decoding, Type type);
void decodeIntegerExtreme(Decoding &decoding, Type type, bool isMax);
void decodeIntegerSign(Decoding &decoding, Type type, bool isAbsolute);

} // namespace tenon::ptx

#endif
