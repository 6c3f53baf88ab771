// The memory that a command may use: by default the memory left, otherwise
// --max-memory.
#ifndef TENON_TOOLS_TENON_MEMORYBUDGET_H
#define TENON_TOOLS_TENON_MEMORYBUDGET_H

#include "tools/tenon/Talk.h"

namespace tenon::cli {

class MemoryBudget {
public:
  /// `maximum` 0: the memory that the machine, its container or the shell's
  /// limit leaves.
  explicit MemoryBudget(uint64_t maximum = 0) : maximum(maximum) {}

  /// Bytes that may still be used. `whose`, unless null, becomes the name of
  /// the limit.
  uint64_t left(std::string *whose = nullptr) const;

  /// Reports an error (status Limit) if `what` of `file` needs more `bytes`
  /// than are left. Call it before the memory is allocated.
  Status admit(Talk &talk, const std::string &file, const std::string &what,
               uint64_t bytes, std::vector<std::string> details = {}) const;

private:
  uint64_t maximum;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MEMORYBUDGET_H
