// A model that comes through a pipe, as a file that readers can open again.
#ifndef TENON_TOOLS_TENON_MODELPIPE_H
#define TENON_TOOLS_TENON_MODELPIPE_H

#include "tools/tenon/Interrupts.h"
#include "tools/tenon/Talk.h"

#include <memory>
#include <vector>

namespace tenon::cli {

class ModelPipe {
public:
  /// Where `path` is '-', a pipe or a device, reads it to its end and makes
  /// `path` the name of a copy in memory; messages go on to say what the user
  /// said. Files and folders stay as they are.
  Status settle(Talk &talk, std::string &path);

private:
  /// Each holds a link to a copy; the copies live as long as the process.
  std::vector<std::unique_ptr<TemporaryDirectory>> folders;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MODELPIPE_H
