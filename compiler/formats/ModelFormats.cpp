// The table of model formats, one row each. The first format that recognizes a
// file reads it. ONNX has no magic number, so it is last and takes all other
// files.
#include "compiler/formats/ModelFormats.h"

#include "compiler/formats/ModelFormat.h"

#define TENON_MODEL_FORMATS(ROW)                                               \
  ROW(mlirTextFormat)                                                          \
  ROW(huggingFaceFormat)                                                       \
  ROW(tensorFlowFormat)                                                        \
  ROW(onnxFormat)

namespace tenon {

#define TENON_DECLARE(FORMAT) const ModelFormat &FORMAT();
TENON_MODEL_FORMATS(TENON_DECLARE)

FormatTable modelFormats() {
#define TENON_ENTRY(FORMAT) &FORMAT(),
  static const ModelFormat *const table[] = {TENON_MODEL_FORMATS(TENON_ENTRY)};
  return table;
}

} // namespace tenon
