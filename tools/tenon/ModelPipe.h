// Makes a model that comes through a pipe a file that readers can open
// repeatedly.
#ifndef TENON_TOOLS_TENON_MODELPIPE_H
#define TENON_TOOLS_TENON_MODELPIPE_H

#include "tools/tenon/Interrupts.h"
#include "tools/tenon/Talk.h"

#include <memory>
#include <vector>

namespace tenon::cli {

class ModelPipe {
public:
  /// If `path` is '-', a pipe or a descriptor, reads it to its end and replaces
  /// `path` by the name of a copy in memory. Messages still name the original
  /// path. Other paths stay unchanged.
  Status settle(Talk &talk, std::string &path);

private:
  /// Each folder holds a link to a copy; the copies live as long as the
  /// process.
  std::vector<std::unique_ptr<TemporaryDirectory>> folders;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_MODELPIPE_H
