/* An emulator of AMX for tests on machines without it. Code compiled with AMX
 * instructions runs unchanged: each instruction raises SIGILL, and a handler
 * decodes and executes it. It is thousands of times slower than hardware and
 * says nothing about speed. It supports ldtilecfg, sttilecfg, tilerelease,
 * tilezero, tileloadd, tileloaddt1, tilestored, tdpbf16ps and the four products
 * of bytes. Each thread has its own tiles, as in hardware. */
#ifndef TENON_TEST_AMX_AMX_EMULATOR_H
#define TENON_TEST_AMX_AMX_EMULATOR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Lets all threads of this process execute AMX instructions. Uses the processor
 * if it has AMX and the system permits it. Returns nonzero if the instructions
 * are emulated. */
int amx_start(void);

#ifdef __cplusplus
}
#endif

#endif /* TENON_TEST_AMX_AMX_EMULATOR_H */
