// The dialect itself, without its enums and interfaces. Attributes whose C++
// code is generated separately need only this file.
#ifndef TENON_DIALECT_DEF_TD
#define TENON_DIALECT_DEF_TD

include "mlir/IR/DialectBase.td"

def Tenon_Dialect : Dialect {
  let name = "tenon";
  let cppNamespace = "::tenon";
  let summary = "Whole machine-learning models as graphs on tensors";
  let description = [{
    Ops of this dialect work on ranked tensors with value semantics. A primitive
    has the semantics of the StableHLO op of that name, if there is one. A
    composite declares its decomposition into primitives. A size that no operand
    implies is an attribute or an `index` value, as in the `tensor` dialect.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::tensor::TensorDialect"];
}

#endif // TENON_DIALECT_DEF_TD
