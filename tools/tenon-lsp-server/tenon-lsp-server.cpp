// A language server for .mlir files with the tenon dialect: completion, hover
// and diagnostics in editors.
#include "dialects/tenon/TenonDialect.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  registry.insert<tenon::TenonDialect>();
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
