// Describes the entry that a checkpoint is compiled to, and counts the elements
// of its files. A checkpoint has no operators to count.
#include "compiler/describe/DescribeHuggingFace.h"

namespace tenon {

ModelSummary describeHuggingFace(const hf::Checkpoint &checkpoint) {
  ModelSummary summary;
  summary.format = "Hugging Face checkpoint, " + checkpoint.config.modelType;
  summary.name = checkpoint.path;
  std::string vocabulary = std::to_string(checkpoint.config.vocabulary());
  summary.inputs = {{"ids", "i64", {"rows", "seq"}},
                    {"lengths", "i64", {"rows"}}};
  std::string columns = "seq";
  if (checkpoint.config.hasEncoder()) {
    columns = "decoder_seq";
    summary.inputs.push_back({"decoder_ids", "i64", {"rows", columns}});
    summary.inputs.push_back({"decoder_lengths", "i64", {"rows"}});
  }
  if (const auto *whisper =
          std::get_if<hf::WhisperConfig>(&checkpoint.config.model)) {
    summary.inputs[0] = {
        "features", "f32", {"rows", std::to_string(whisper->bins), "frames"}};
    summary.inputs[1] = {"frames", "i64", {"rows"}};
    summary.inputs.insert(summary.inputs.begin() + 2,
                          {"greatest", "f32", {"rows"}});
  }
  summary.outputs = {{"logits", "f32", {"rows", columns, vocabulary}}};
  for (const auto &[name, tensor] : checkpoint.tensors) {
    summary.parameters += tensor.stored.numElements();
    summary.parameterBytes += int64_t(tensor.stored.length);
  }
  return summary;
}

} // namespace tenon
