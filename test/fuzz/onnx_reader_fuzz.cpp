// Runs the ONNX reader under libFuzzer on arbitrary bytes. If a model is read,
// all its payloads must be readable too.
#include "compiler/import/onnx/reader/OnnxReader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto model = tenon::readOnnx(
      std::as_bytes(std::span(data, size)), "fuzz", "",
      [](const tenon::Diagnostic &d) { (void)tenon::formatDiagnostic(d); });
  if (model)
    for (const auto &tensor : model->graph.initializers)
      if (!std::holds_alternative<tenon::onnx::StringElements>(tensor.payload))
        (void)model->bytes(tensor);
  return 0;
}
