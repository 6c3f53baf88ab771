/* AMX for tests on machines without it. Code that was compiled with AMX
 * instructions runs here as it stands: each of them raises SIGILL, and a
 * handler decodes and carries it out. It is for tests alone, thousands of times
 * slower than the real thing, and says nothing about speed. Known are
 * ldtilecfg, sttilecfg, tilerelease, tilezero, tileloadd, tileloaddt1,
 * tilestored, tdpbf16ps and the four products of bytes; tiles are each thread's
 * own, as in hardware. */
#ifndef TENON_TEST_AMX_AMX_EMULATOR_H
#define TENON_TEST_AMX_AMX_EMULATOR_H

#ifdef __cplusplus
extern "C" {
#endif

/* Lets this process execute AMX instructions, on all its threads. Nonzero: they
 * are emulated; where the processor has them and the system permits, it is
 * used.
 */
int amx_start(void);

#ifdef __cplusplus
}
#endif

#endif /* TENON_TEST_AMX_AMX_EMULATOR_H */
