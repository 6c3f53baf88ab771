// Describes a TensorFlow graph.
#ifndef TENON_COMPILER_DESCRIBE_DESCRIBETENSORFLOW_H
#define TENON_COMPILER_DESCRIBE_DESCRIBETENSORFLOW_H

#include "compiler/import/tensorflow/reader/TfModel.h"
#include "compiler/report/ModelSummary.h"

namespace tenon {

ModelSummary describeTensorFlow(const tf::Model &model);

} // namespace tenon

#endif // TENON_COMPILER_DESCRIBE_DESCRIBETENSORFLOW_H
