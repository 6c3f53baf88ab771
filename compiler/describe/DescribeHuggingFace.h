// Describes a checkpoint folder.
#ifndef TENON_COMPILER_DESCRIBE_DESCRIBEHUGGINGFACE_H
#define TENON_COMPILER_DESCRIBE_DESCRIBEHUGGINGFACE_H

#include "compiler/import/huggingface/reader/Checkpoint.h"
#include "compiler/report/ModelSummary.h"

namespace tenon {

ModelSummary describeHuggingFace(const hf::Checkpoint &checkpoint);

} // namespace tenon

#endif // TENON_COMPILER_DESCRIBE_DESCRIBEHUGGINGFACE_H
