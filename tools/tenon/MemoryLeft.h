// The memory that this process may still use before the machine, a container or
// a limit of the shell stops it.
#ifndef TENON_TOOLS_TENON_MEMORYLEFT_H
#define TENON_TOOLS_TENON_MEMORYLEFT_H

#include <cstdint>
#include <string>

namespace tenon::cli {

/// The tightest limit on this process.
struct MemoryLeft {
  uint64_t bytes = UINT64_MAX;  ///< until the limit is reached
  uint64_t usable = UINT64_MAX; ///< `bytes` less a reserve
  std::string whose; ///< text after a size: "this machine has available"
};

/// Finds the tightest limit. Reads the memory that the machine has available,
/// the memory limits of the process's control groups (versions 1 and 2) minus
/// their usage, and the limit on the address space. A limit that cannot be read
/// is ignored. `root` replaces "/" in tests.
MemoryLeft findMemoryLeft(const std::string &root = "");

/// Bytes of memory of this process and its children that no file backs.
uint64_t memoryInUse();

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MEMORYLEFT_H
