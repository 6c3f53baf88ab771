// mlir-opt with the tenon dialect, all Tenon passes, and a pipeline per phase.
#include "compiler/pipeline/Phases.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  tenon::registerPipelineDialects(registry);
  mlir::registerAllPasses();
  tenon::registerPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Tenon's pass driver\n", registry));
}
