// Delays signals during a part of the code; they are delivered at its end.
// Signals of faults are not delayed: a blocked fault would end the process
// without a message.
#ifndef TENON_COMPILER_FILES_BLOCKEDSIGNALS_H
#define TENON_COMPILER_FILES_BLOCKEDSIGNALS_H

#include <csignal>

namespace tenon {

/// Blocks the signals of this thread during its lifetime, except those of
/// faults. Threads started in this time inherit the mask.
class BlockedSignals {
public:
  BlockedSignals() {
    sigset_t held;
    sigfillset(&held);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
      sigdelset(&held, fault);
    pthread_sigmask(SIG_BLOCK, &held, &before);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  BlockedSignals(const BlockedSignals &) = delete;
  BlockedSignals &operator=(const BlockedSignals &) = delete;

private:
  sigset_t before;
};

} // namespace tenon

#endif // TENON_COMPILER_FILES_BLOCKEDSIGNALS_H
