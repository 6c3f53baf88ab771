// mlir-opt with every pass of ours and a pipeline for every run of phases. It
// has the compiler's dialects and no others: their interfaces would let a pass
// do something else here than in the compiler.
#include "compiler/pipeline/Pipelines.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tenon::registerPipelineDialects(registry);
  mlir::registerAllPasses();
  tenon::registerPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tenon's pass driver\n", registry));
}
