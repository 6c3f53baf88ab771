// Delays signals during a part of the code; they are delivered at its end.
// Signals of faults are not delayed: a blocked fault would end the process
// without a message.
#ifndef TENON_COMPILER_FILES_SIGNALSHELD_H
#define TENON_COMPILER_FILES_SIGNALSHELD_H

#include <csignal>

namespace tenon {

/// Blocks the signals of this thread during its lifetime, except those of
/// faults. Threads started in this time inherit the mask.
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
