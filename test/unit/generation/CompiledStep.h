// Runs the entries of a module as a compiled artifact.
#ifndef TENON_TEST_UNIT_GENERATION_COMPILEDSTEP_H
#define TENON_TEST_UNIT_GENERATION_COMPILEDSTEP_H

#include "compiler/oracle/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon::test {

class CompiledStep {
public:
  /// Compiles `module`; ends the process if that fails.
  explicit CompiledStep(mlir::ModuleOp module);
  ~CompiledStep();

  /// Runs an entry and returns its outputs, which have the types `outputs`.
  std::vector<HostTensor> run(const std::string &entry,
                              llvm::ArrayRef<HostTensor> inputs,
                              llvm::ArrayRef<mlir::Type> outputs);

private:
  struct Artifact;
  std::unique_ptr<Artifact> artifact;
};

} // namespace tenon::test

#endif // TENON_TEST_UNIT_GENERATION_COMPILEDSTEP_H
