// Runs of consecutive phases, and their names in tenon-opt.
#ifndef TENON_COMPILER_PIPELINE_PIPELINES_H
#define TENON_COMPILER_PIPELINE_PIPELINES_H

#include "compiler/pipeline/Phases.h"

#include <string>

namespace tenon {

/// Appends every phase after `from`, up to and including `to`.
void buildPhases(mlir::OpPassManager &pm, const Phase &from, const Phase &to,
                 const PipelineOptions &options);

/// The name of the pipeline from phase `from` to phase `to`: `tenon-to-TO` from
/// the first phase, otherwise `tenon-from-FROM-to-TO`.
std::string pipelineName(const Phase &from, const Phase &to);

/// Registers our passes, and a pipeline for every two phases in order. The
/// options of a pipeline are the fields of PipelineOptions.
void registerPipelines();

} // namespace tenon

#endif // TENON_COMPILER_PIPELINE_PIPELINES_H
