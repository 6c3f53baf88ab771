// Boxes of tensors as models give them: starts, ends and steps that may count
// from the end and lie outside the tensor.
#ifndef TENON_COMPILER_IMPORT_GRAPH_BOX_H
#define TENON_COMPILER_IMPORT_GRAPH_BOX_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// The start, size and step of a box along one dimension.
struct Box {
  Size offset, size, step;
};

/// Normalizes bounds by numpy's rules: negative bounds count from the end, and
/// both bounds are clamped to the positions where a walk by `step` can begin
/// and stop. A dynamic step that is zero at run time counts as one.
Box clampBox(GraphBuilder &g, Size start, Size end, Size step, Size extent);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_BOX_H
