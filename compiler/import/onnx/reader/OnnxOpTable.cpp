// The table is data, sorted by name and then version. The entry for an opset is
// the newest one that is not newer.
#include "compiler/import/onnx/reader/OnnxOpTable.h"

#include <algorithm>
#include <iterator>

namespace tenon::onnx {

static const OpSignature table[] = {
#include "compiler/import/onnx/reader/OnnxOpTable.inc"
};

const OpSignature *findOpSignature(std::string_view op, int64_t opset) {
  if (opset > newestKnownOpset)
    return nullptr;
  auto found = std::upper_bound(
      std::begin(table), std::end(table), op,
      [opset](std::string_view name, const OpSignature &entry) {
        return name != entry.name ? name < entry.name : opset < entry.since;
      });
  if (found == std::begin(table) || op != std::prev(found)->name)
    return nullptr;
  return &*std::prev(found);
}

} // namespace tenon::onnx
