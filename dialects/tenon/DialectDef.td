// The dialect itself, apart from its enums and interfaces: attributes that are
// generated apart are written with this alone.
#ifndef TENON_DIALECT_DEF_TD
#define TENON_DIALECT_DEF_TD

include "mlir/IR/DialectBase.td"

def Tenon_Dialect : Dialect {
  let name = "tenon";
  let cppNamespace = "::tenon";
  let summary = "Whole machine-learning models as graphs on tensors";
  let description = [{
    Ops of this dialect work on ranked tensors with value semantics. A primitive has the semantics of the StableHLO
    specification where that has the op; a composite declares its decomposition into primitives. Sizes that no operand
    implies are attributes or `index` values, as in the `tensor` dialect.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

#endif // TENON_DIALECT_DEF_TD
