// Parses a graph from text, once per test.
#ifndef TENON_TEST_ORACLE_GRAPHTEXT_H
#define TENON_TEST_ORACLE_GRAPHTEXT_H

#include "compiler/oracle/Oracle.h"
#include "dialects/tenon/TenonDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

struct GraphText : testing::Test {
  GraphText() {
    context.loadDialect<tenon::TenonDialect, mlir::arith::ArithDialect,
                        mlir::func::FuncDialect, mlir::scf::SCFDialect,
                        mlir::tensor::TensorDialect>();
  }

  /// Parses `text` and returns its function @main.
  mlir::func::FuncOp parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module->lookupSymbol<mlir::func::FuncOp>("main");
  }

  tenon::HostTensor floats(mlir::Type type, llvm::ArrayRef<int64_t> shape,
                           std::vector<double> values) {
    return {type, llvm::SmallVector<int64_t>(shape), std::move(values), {}};
  }
  tenon::HostTensor ints(mlir::Type type, llvm::ArrayRef<int64_t> shape,
                         std::vector<int64_t> values) {
    return {type, llvm::SmallVector<int64_t>(shape), {}, std::move(values)};
  }
  mlir::Type unsignedInt(unsigned width) {
    return mlir::IntegerType::get(&context, width, mlir::IntegerType::Unsigned);
  }

  mlir::MLIRContext context;
  mlir::Builder builder{&context};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

#endif // TENON_TEST_ORACLE_GRAPHTEXT_H
