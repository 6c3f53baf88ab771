// A stretch of code that an interrupt does not part: it is delivered at the
// end. A fault of that code is not held back: it would end the process without
// a word.
#ifndef TENON_COMPILER_FILES_SIGNALSHELD_H
#define TENON_COMPILER_FILES_SIGNALSHELD_H

#include <csignal>

namespace tenon {

/// Holds back the signals of this thread while it lives, but for those of
/// faults. Threads started meanwhile hold them back for good.
class SignalsHeld {
public:
  SignalsHeld() {
    sigset_t held;
    sigfillset(&held);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
      sigdelset(&held, fault);
    pthread_sigmask(SIG_BLOCK, &held, &before);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  SignalsHeld(const SignalsHeld &) = delete;
  SignalsHeld &operator=(const SignalsHeld &) = delete;

private:
  sigset_t before;
};

} // namespace tenon

#endif // TENON_COMPILER_FILES_SIGNALSHELD_H
