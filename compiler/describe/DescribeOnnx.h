// Describes an ONNX model.
#ifndef TENON_COMPILER_DESCRIBE_DESCRIBEONNX_H
#define TENON_COMPILER_DESCRIBE_DESCRIBEONNX_H

#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/options/CompileOptions.h"
#include "compiler/report/ModelSummary.h"

namespace tenon {

/// `options` gives named dimensions their numbers and ranges.
ModelSummary describeOnnx(const onnx::Model &model,
                          const CompileOptions &options);

} // namespace tenon

#endif // TENON_COMPILER_DESCRIBE_DESCRIBEONNX_H
