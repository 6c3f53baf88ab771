// The machine that kernels are made for, as an attribute of a module.
#ifndef TENON_DIALECTS_TENON_MACHINE_H
#define TENON_DIALECTS_TENON_MACHINE_H

#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/BuiltinOps.h"

#define GET_ATTRDEF_CLASSES
#include "dialects/tenon/Machine.h.inc"

namespace tenon {

/// Prints and parses `[32768, 524288]`.
void printCaches(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> caches);
mlir::ParseResult parseCaches(mlir::AsmParser &parser,
                              llvm::SmallVector<int64_t> &caches);

} // namespace tenon

#endif // TENON_DIALECTS_TENON_MACHINE_H
