// Shared by the files that define the driver's functions.
#ifndef TENON_TEST_GPU_DRIVER_CALL_H
#define TENON_TEST_GPU_DRIVER_CALL_H

#include "test/gpu/driver/Driver.h"

namespace tenon::ptx {

inline Driver &driver() { return Driver::instance(); }

/// Runs a call that needs a current context.
template <typename Body> CUresult inContext(const char *name, Body body) {
  return driver().call(name, true, body);
}
/// Runs a call that needs none.
template <typename Body> CUresult anywhere(const char *name, Body body) {
  return driver().call(name, false, body);
}

/// Copies and fills, done now. Memory that is gone is a finding.
void copyToDevice(CUdeviceptr to, const void *from, size_t bytes);
void copyWithinDevice(CUdeviceptr to, CUdeviceptr from, size_t bytes);
void fillDevice(CUdeviceptr to, uint32_t value, size_t width, size_t count);

} // namespace tenon::ptx

#endif
