// The text of runtime/tenon_abi.h, for headers that include nothing of ours.
#ifndef TENON_COMPILER_ARTIFACT_ABITEXT_H
#define TENON_COMPILER_ARTIFACT_ABITEXT_H

#include <cstddef>

extern "C" {
extern const unsigned char tenon_abi_text[];
extern const size_t tenon_abi_text_size;
}

#endif // TENON_COMPILER_ARTIFACT_ABITEXT_H
