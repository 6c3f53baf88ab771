// Boxes of tensors as frontends bound them: by starts, ends and steps that may
// count from the end and lie outside.
#ifndef TENON_COMPILER_IMPORT_GRAPH_BOX_H
#define TENON_COMPILER_IMPORT_GRAPH_BOX_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// Start, size and step of a box along one dimension.
struct Box {
  Size offset, size, step;
};

/// numpy's rules: negative bounds count from the end, both are clamped to where
/// a walk by `step` can begin and stop. A step that is not static and zero in
/// the run is taken for one.
Box clampBox(GraphBuilder &g, Size start, Size end, Size step, Size extent);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_BOX_H
