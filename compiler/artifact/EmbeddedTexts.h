// Our own files that are embedded in the compiler, to be written into
// artifacts.
#ifndef TENON_COMPILER_ARTIFACT_EMBEDDEDTEXTS_H
#define TENON_COMPILER_ARTIFACT_EMBEDDEDTEXTS_H

#include <cstddef>

extern "C" {
/// The text of runtime/tenon_abi.h, for headers that include none of our
/// headers.
extern const unsigned char tenon_abi_text[];
extern const size_t tenon_abi_text_size;

/// An object file with a `main`, the runtime and text generation
/// (tools/artifact-main).
extern const unsigned char tenon_artifact_program[];
extern const size_t tenon_artifact_program_size;
}

#endif // TENON_COMPILER_ARTIFACT_EMBEDDEDTEXTS_H
