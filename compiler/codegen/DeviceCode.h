// The code of a device's kernels: one image for each architecture.
#ifndef TENON_COMPILER_CODEGEN_DEVICECODE_H
#define TENON_COMPILER_CODEGEN_DEVICECODE_H

#include "compiler/codegen/Target.h"
#include "compiler/codegen/Workers.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace tenon {

/// The kernels of all launches, for one architecture.
struct DeviceImage {
  DeviceArchitecture architecture;
  std::string text;  ///< PTX
  std::string cubin; ///< its machine code; empty: none was asked for
};

/// The entry of a kernel.
struct DeviceEntry {
  std::string name;
  int64_t threads; ///< of a block
  int64_t parameters;
};

struct DeviceCode {
  std::vector<DeviceImage> images;  ///< in the order of the architectures
  std::vector<DeviceEntry> entries; ///< in the order that launches count
};

/// Compiles `device`, a module of the LLVM dialect with kernels, for each
/// architecture of `target`. LLVM alone makes the text: no toolkit nearby
/// changes a byte. Returns an error text, or an empty string.
std::string compileDevice(mlir::ModuleOp device, const TargetChoice &target,
                          Workers &workers, DeviceCode &code);

} // namespace tenon

#endif // TENON_COMPILER_CODEGEN_DEVICECODE_H
