/* The ELF note `.note.tenon` of a compiled .so: the facts that the loader must
 * check before the dynamic linker opens the file.
 *
 * The section is SHT_NOTE, allocated, aligned to 4, and holds one note: the
 * twelve-byte ELF header (namesz 6, descsz, type TENON_NOTE_TYPE, all
 * little-endian), the name "Tenon" padded to eight bytes, and a description
 * with the offsets below. A linked file has exactly one such note; objects for
 * static linking have none. */
#ifndef TENON_RUNTIME_TENON_NOTE_H
#define TENON_RUNTIME_TENON_NOTE_H

#include <stddef.h>
#include <stdint.h>

#define TENON_NOTE_SECTION ".note.tenon"
#define TENON_NOTE_NAME "Tenon"
#define TENON_NOTE_TYPE 1u
#define TENON_NOTE_HEADER_BYTES 20u

/* The output section that holds an embedded blob of weights and nothing else.
 * The artifact's hash skips it. The blob has its own hash,
 * tenon_model_desc.weight_hash, which is checked on request. */
#define TENON_WEIGHTS_SECTION ".tenon.weights"

/* Offsets in the description; integers are little-endian. */
enum {
  TENON_NOTE_ABI = 0,             /* u32: TENON_ABI_VERSION */
  TENON_NOTE_FLAGS = 4,           /* u32: 0 */
  TENON_NOTE_FILE_BYTES = 8,      /* u64: size of the file; sealed */
  TENON_NOTE_HASH = 16,           /* u64: see below; sealed */
  TENON_NOTE_WEIGHTS_OFFSET = 24, /* u64: their section's offset; sealed */
  TENON_NOTE_WEIGHTS_BYTES = 32,  /* u64: its size, or 0; sealed */
  TENON_NOTE_CPU_FEATURES = 40,   /* u64: bits of tenon_cpu_feature */
  TENON_NOTE_SOURCE_HASH = 48,    /* u64: XXH64 of the model file */
  TENON_NOTE_COMPILER = 56,       /* char[32]: "tenon 0.1.0", NUL-padded */
  TENON_NOTE_SYMBOL = 88          /* the descriptor's symbol, NUL-terminated,
                                     then NULs to a multiple of 4 */
};

/* The hash is XXH64 with seed 0 over the bytes of the file in order, without
 * the weights. The eight bytes of TENON_NOTE_HASH count as zero. */

#define TENON_NOTE_COMPILER_BYTES 32u
#define TENON_NOTE_SYMBOL_MAX 1023u /* bytes, without the NUL */

/* A weight file is a safetensors file whose data section starts at a multiple
 * of TENON_WEIGHT_ALIGNMENT and equals the blob, byte for byte. Its
 * `__metadata__` holds the key below with tenon_model_desc.weight_hash as 16
 * lower-case hex digits. The loader compares it to check that file and artifact
 * belong together.
 *
 * The two files cannot be replaced at the same moment. So a new artifact may
 * stand beside the old weight file NAME for a moment. The new weight file is
 * then found beside it as `.NAME.<the 16 digits>`. */
#define TENON_WEIGHTS_METADATA_KEY "tenon.hash"

#endif /* TENON_RUNTIME_TENON_NOTE_H */
