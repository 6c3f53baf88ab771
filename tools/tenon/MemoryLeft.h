// How much memory this process may still take before the machine, a container
// or a limit of the shell stops it.
#ifndef TENON_TOOLS_TENON_MEMORYLEFT_H
#define TENON_TOOLS_TENON_MEMORYLEFT_H

#include <cstdint>
#include <string>

namespace tenon::cli {

/// The tightest limit on this process.
struct MemoryLeft {
  uint64_t bytes = UINT64_MAX;      ///< before someone is stopped
  uint64_t mayBeTaken = UINT64_MAX; ///< less a reserve
  std::string whose; ///< "this machine has available"; follows a size
};

/// Reads what the machine has available, every memory limit of the control
/// groups this process is in (versions 1 and 2), less what they use, and the
/// limit on its address space. `root` stands for "/" in tests. What cannot be
/// read limits nothing.
MemoryLeft findMemoryLeft(const std::string &root = "");

/// Memory of this process and of its children that no file backs, in bytes.
uint64_t memoryInUse();

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MEMORYLEFT_H
