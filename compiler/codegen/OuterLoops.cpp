// Marks the loops with LLVM's own metadata.
#include "compiler/codegen/OuterLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace tenon {

/// The window of a pooling with the channels inside: unrolled it takes half the
/// time.
constexpr unsigned deepestUnrolled = 3;

/// A loop that holds none is one deep.
static unsigned depthOf(const Loop &loop) {
  unsigned inner = 0;
  for (const Loop *each : loop)
    inner = std::max(inner, depthOf(*each));
  return inner + 1;
}

void keepOuterLoops(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    for (Loop *loop : loops.getLoopsInPreorder())
      if (depthOf(*loop) > deepestUnrolled)
        loop->setLoopAlreadyUnrolled();
  }
}

} // namespace tenon
