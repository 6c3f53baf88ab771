// A stretch of code that an interrupt does not part: it is delivered at the
// end.
#ifndef TENON_COMPILER_ARTIFACT_SIGNALSHELD_H
#define TENON_COMPILER_ARTIFACT_SIGNALSHELD_H

#include <csignal>

namespace tenon {

/// Holds back all signals of this thread while it lives.
class SignalsHeld {
public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalsHeld(const SignalsHeld &) = delete;
  SignalsHeld &operator=(const SignalsHeld &) = delete;

private:
  sigset_t before;
};

} // namespace tenon

#endif // TENON_COMPILER_ARTIFACT_SIGNALSHELD_H
