// Ends the process, after cleaning up, when it has run too long or takes too
// much memory.
#ifndef TENON_TOOLS_TENON_LIMITWATCH_H
#define TENON_TOOLS_TENON_LIMITWATCH_H

#include "tools/tenon/Talk.h"

namespace tenon::cli {

/// While it lives, the process ends with status Cancelled when `seconds` have
/// passed, and the message says so; 0: no limit. `what` is the flag's meaning,
/// "the deadline". Several may live at once.
class TimeLimit {
public:
  TimeLimit(Talk &talk, const std::string &file, const std::string &what,
            double seconds);
  ~TimeLimit();
  TimeLimit(const TimeLimit &) = delete;
  TimeLimit &operator=(const TimeLimit &) = delete;

private:
  int slot = -1;
};

/// From now on the process ends with status Limit when it and its children have
/// more than `bytes` of memory that no file backs.
void limitMemory(Talk &talk, const std::string &file, uint64_t bytes);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_LIMITWATCH_H
