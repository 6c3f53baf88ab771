/* The bitcode of runtime/core as bytes. The compiler parses it and links it
 * into models. */
#ifndef TENON_RUNTIME_CORE_EMBEDDED_H
#define TENON_RUNTIME_CORE_EMBEDDED_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const unsigned char tenon_core_bitcode[];
extern const size_t tenon_core_bitcode_size;

/* The functions that kernels of an NVIDIA GPU call. */
extern const unsigned char tenon_device_core_bitcode[];
extern const size_t tenon_device_core_bitcode_size;

#ifdef __cplusplus
}
#endif

#endif /* TENON_RUNTIME_CORE_EMBEDDED_H */
