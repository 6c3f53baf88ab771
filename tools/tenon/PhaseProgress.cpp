// One callback sets the stage for crash reports and prints the lines of
// --progress.
#include "tools/tenon/PhaseProgress.h"

#include "tools/tenon/Interrupts.h"

namespace tenon::cli {

void showPhases(Invocation &call, Compiler &compiler, int count) {
  setCurrentStage("compile");
  compiler.onPhase = [&talk = call.talk, count,
                      done = 0](const PhaseReport &phase) mutable {
    setCurrentStage("after " + phase.name);
    talk.phase(phase, ++done, count);
  };
}

} // namespace tenon::cli
