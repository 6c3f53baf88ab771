// The schema of TensorFlow's messages for the envelope check: the known fields,
// the payloads and the limits.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFENVELOPE_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFENVELOPE_H

#include "compiler/wire/Envelope.h"

namespace tenon::tf {

extern const wire::MessageSchema savedModelSchema;
extern const wire::MessageSchema graphSchema;
extern const wire::MessageSchema trackableGraphSchema;

constexpr uint64_t maxNodes = uint64_t(1) << 20;
constexpr uint64_t maxRank = 64;

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFENVELOPE_H
