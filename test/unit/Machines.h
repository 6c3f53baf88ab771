// Machines for tests of plans, whose cost estimates depend on the machine.
#ifndef TENON_TEST_UNIT_MACHINES_H
#define TENON_TEST_UNIT_MACHINES_H

#include "dialects/tenon/Machine.h"

namespace tenon {

inline mlir::MLIRContext &tenonContext() {
  static mlir::MLIRContext context;
  context.loadDialect<TenonDialect>();
  return context;
}

inline MachineAttr machineWith(int64_t vectorBytes, int64_t tiles = 0) {
  return MachineAttr::x86(&tenonContext(), vectorBytes, {.tiles = tiles});
}

} // namespace tenon

#endif // TENON_TEST_UNIT_MACHINES_H
