/* The ELF note `.note.tenon` of a compiled .so: what the loader must know
 * before it lets the dynamic linker near the file.
 *
 * The section is SHT_NOTE, allocated, aligned to 4, and holds one note: the
 * twelve-byte ELF header (namesz 6, descsz, type TENON_NOTE_TYPE, all
 * little-endian), the name "Tenon" padded to eight bytes, and a description
 * laid out by the offsets below. A linked file carries exactly one; objects
 * for static linking carry none. */
#ifndef TENON_RUNTIME_TENON_NOTE_H
#define TENON_RUNTIME_TENON_NOTE_H

#include <stddef.h>
#include <stdint.h>

#define TENON_NOTE_SECTION ".note.tenon"
#define TENON_NOTE_NAME "Tenon"
#define TENON_NOTE_TYPE 1u
#define TENON_NOTE_HEADER_BYTES 20u

/* An embedded blob of weights stands alone in an output section of this name:
 * it is left out of the artifact's hash, since it has one of its own
 * (tenon_model_desc.weight_hash) that is checked on request. */
#define TENON_WEIGHTS_SECTION ".tenon.weights"

/* Offsets in the description; integers are little-endian. */
enum {
  TENON_NOTE_ABI = 0,             /* u32: TENON_ABI_VERSION */
  TENON_NOTE_FLAGS = 4,           /* u32: 0 */
  TENON_NOTE_FILE_BYTES = 8,      /* u64: size of the file; sealed */
  TENON_NOTE_HASH = 16,           /* u64: see below; sealed */
  TENON_NOTE_WEIGHTS_OFFSET = 24, /* u64: the section's place; sealed */
  TENON_NOTE_WEIGHTS_BYTES = 32,  /* u64: and size, or 0; sealed */
  TENON_NOTE_CPU_FEATURES = 40,   /* u64: bits of tenon_cpu_feature */
  TENON_NOTE_SOURCE_HASH = 48,    /* u64: XXH64 of the model file */
  TENON_NOTE_COMPILER = 56,       /* char[32]: "tenon 0.1.0", NUL-padded */
  TENON_NOTE_SYMBOL = 88          /* the descriptor's symbol, NUL-terminated,
                                     then NULs to a multiple of 4 */
};

/* The hash is XXH64 with seed 0 over the bytes of the file in order, the eight
 * bytes of TENON_NOTE_HASH taken as zero and the weights left out. */

#define TENON_NOTE_COMPILER_BYTES 32u
#define TENON_NOTE_SYMBOL_MAX 1023u /* bytes, the NUL not counted */

/* A weight file is a safetensors file whose data section starts at a multiple
 * of TENON_WEIGHT_ALIGNMENT and is the blob, byte for byte. Its `__metadata__`
 * holds the key below with tenon_model_desc.weight_hash as 16 lower-case hex
 * digits: by it the loader knows that file and artifact belong together.
 *
 * Two files cannot be replaced at one moment. Until the weight file NAME of an
 * artifact that has its place already has its own, it is to be found beside it
 * as `.NAME.<those digits>`. */
#define TENON_WEIGHTS_METADATA_KEY "tenon.hash"

#endif /* TENON_RUNTIME_TENON_NOTE_H */
