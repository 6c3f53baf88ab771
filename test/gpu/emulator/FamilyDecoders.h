// Instructions of one name that several families have: decoders for the family
// that owns the name.
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

/// fence.proxy and fence.mbarrier_init, from the next modifier on.
void decodeProxyFence(Decoding &decoding);
/// cp.async.bulk and cp.async.mbarrier, from the next modifier on.
void decodeBulkCopy(Decoding &decoding);
void decodeArrivalOfCopies(Decoding &decoding);

} // namespace tenon::ptx

#endif
