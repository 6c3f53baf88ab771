// A refusal names the memory needed, the limit, and a remedy.
#include "tools/tenon/MemoryBudget.h"

#include "tools/tenon/MemoryLeft.h"

namespace tenon::cli {

/// Smaller requests are not checked: if they did not fit, nothing would run.
static constexpr uint64_t alwaysAdmitted = 1 << 20;

uint64_t MemoryBudget::left(std::string *whose) const {
  if (maximum) {
    uint64_t used = memoryInUse();
    if (whose)
      *whose = formatBytes(maximum) + " is what --max-memory allows, " +
               formatBytes(used) + " is in use";
    return maximum > used ? maximum - used : 0;
  }
  MemoryLeft left = findMemoryLeft();
  if (whose)
    *whose = formatBytes(left.bytes) + " " + left.whose;
  return left.usable;
}

Status MemoryBudget::admit(Talk &talk, const std::string &file,
                           const std::string &what, uint64_t bytes,
                           std::vector<std::string> details) const {
  if (bytes <= alwaysAdmitted)
    return Status::Success;
  std::string whose;
  uint64_t allowed = left(&whose);
  if (bytes <= allowed)
    return Status::Success;
  details.push_back(whose);
  return talk.fail(Status::Limit, file,
                   what + " needs " + formatBytes(bytes) + " of memory, and " +
                       formatBytes(allowed) + " may be taken",
                   std::move(details),
                   maximum ? "pass a larger --max-memory, or give smaller sizes"
                           : "give smaller sizes, free memory, or pass "
                             "--max-memory=SIZE to take more than is left");
}

} // namespace tenon::cli
