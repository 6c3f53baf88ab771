// The memory a command may take: by default what is left, else --max-memory.
#ifndef TENON_TOOLS_TENON_MEMORYBUDGET_H
#define TENON_TOOLS_TENON_MEMORYBUDGET_H

#include "tools/tenon/Talk.h"

namespace tenon::cli {

class MemoryBudget {
public:
  /// 0: what the machine, its container or the shell's limit leaves.
  explicit MemoryBudget(uint64_t maximum = 0) : maximum(maximum) {}

  /// Bytes that may still be taken; `whose`, where given, says who says so.
  uint64_t left(std::string *whose = nullptr) const;

  /// Refuses `what` of `file` (status Limit) where it needs more `bytes` than
  /// are left. Asked before memory is taken.
  Status admit(Talk &talk, const std::string &file, const std::string &what,
               uint64_t bytes, std::vector<std::string> details = {}) const;

private:
  uint64_t maximum;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MEMORYBUDGET_H
