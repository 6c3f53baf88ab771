// Ends the process, after cleaning up, if it runs too long or uses too much
// memory.
#ifndef TENON_TOOLS_TENON_LIMITWATCH_H
#define TENON_TOOLS_TENON_LIMITWATCH_H

#include "tools/tenon/Talk.h"

namespace tenon::cli {

/// Limits the time of a scope. If the object lives longer than `seconds`, the
/// process ends with status Cancelled and a message. 0 means no limit. `what`
/// names the limit, for example "the deadline". Several limits may be active at
/// once.
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

/// From this call on, the process ends with status Limit if it and its children
/// use more than `bytes` of memory that no file backs.
void limitMemory(Talk &talk, const std::string &file, uint64_t bytes);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_LIMITWATCH_H
