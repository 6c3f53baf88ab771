// The names by which `tenon verify` and the report know values between ops.
#ifndef TENON_COMPILER_REPORT_VALUENAMES_H
#define TENON_COMPILER_REPORT_VALUENAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace tenon {

struct NamedValue {
  mlir::Value value;
  std::string name; ///< `node "x" (tenon.add)`
};

/// The tensors that ops at the top level of `function`, just imported, compute
/// and that are not its outputs, in the order of the ops. A value is named
/// after the op's node, with a number if the name repeats.
std::vector<NamedValue> namedValues(mlir::func::FuncOp function);

} // namespace tenon

#endif // TENON_COMPILER_REPORT_VALUENAMES_H
