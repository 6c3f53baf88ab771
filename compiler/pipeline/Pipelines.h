// Runs of several phases, and their names in tenon-opt.
#ifndef TENON_COMPILER_PIPELINE_PIPELINES_H
#define TENON_COMPILER_PIPELINE_PIPELINES_H

#include "compiler/pipeline/Phases.h"

#include <string>

namespace tenon {

/// Appends every phase after `from`, up to and including `to`.
void buildPhases(mlir::OpPassManager &pm, const Phase &from, const Phase &to,
                 const PipelineOptions &options);

/// The pipeline that takes a module of phase `from` to phase `to`:
/// `tenon-to-TO` from the first phase, else `tenon-from-FROM-to-TO`.
std::string pipelineName(const Phase &from, const Phase &to);

/// Registers our passes, and a pipeline for every two phases in their order,
/// with the fields of PipelineOptions as its options.
void registerPipelines();

} // namespace tenon

#endif // TENON_COMPILER_PIPELINE_PIPELINES_H
