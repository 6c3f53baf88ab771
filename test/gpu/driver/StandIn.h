// What tests ask of the stand-in, beside the driver's own functions.
#ifndef TENON_TEST_GPU_DRIVER_STANDIN_H
#define TENON_TEST_GPU_DRIVER_STANDIN_H

extern "C" {
/// What the host has not released, as "2 allocations of 8000 bytes, 1 module";
/// "" if nothing is left.
const char *tenonStandInLeft();
/// Nonzero if the call that TENON_GPU_FAULT names has failed.
int tenonStandInHasFailed();
/// How often a function was called.
int tenonStandInCalls(const char *function);
}

#endif
