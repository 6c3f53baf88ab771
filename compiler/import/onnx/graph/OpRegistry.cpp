// The table of ops, and the list of op families.
#include "compiler/import/onnx/graph/OpRegistry.h"

#include "compiler/import/onnx/reader/OnnxOpTable.h"

#include <algorithm>

namespace tenon::onnx {

static std::string key(llvm::StringRef domain, llvm::StringRef op) {
  return (domain + ":" + op).str();
}

void OpRegistry::add(llvm::StringRef op, int64_t since, Arity inputs,
                     Arity outputs, OpHandler handler, llvm::StringRef domain) {
  std::vector<OpEntry> &versions = entries[key(domain, op)];
  auto later =
      std::find_if(versions.begin(), versions.end(),
                   [&](const OpEntry &entry) { return entry.since > since; });
  versions.insert(later, OpEntry{since, inputs, outputs, handler});
}

/// The opset in which the op last changed, up to opset `version`. 0 if that was
/// at or before newestWholeOpset: then the registry has every form of the op.
static int64_t unprovedSince(llvm::StringRef domain, llvm::StringRef op,
                             int64_t version) {
  if (!domain.empty())
    return 0;
  const OpSignature *signature = findOpSignature(op, version);
  return signature && signature->since > newestWholeOpset ? signature->since
                                                          : 0;
}

const OpEntry *OpRegistry::find(llvm::StringRef domain, llvm::StringRef op,
                                int64_t version) const {
  auto found = entries.find(key(domain, op));
  if (found == entries.end())
    return nullptr;
  const OpEntry *newest = nullptr;
  for (const OpEntry &entry : found->second)
    if (entry.since <= version)
      newest = &entry;
  return newest && newest->since < unprovedSince(domain, op, version) ? nullptr
                                                                      : newest;
}

std::string OpRegistry::whyMissing(llvm::StringRef domain, llvm::StringRef op,
                                   int64_t version) const {
  int64_t since = unprovedSince(domain, op, version);
  return since && entries.count(key(domain, op))
             ? "as of opset " + std::to_string(since)
             : std::string();
}

std::vector<std::string> OpRegistry::names() const {
  std::vector<std::string> all;
  for (const auto &entry : entries)
    all.push_back(entry.first().str());
  std::sort(all.begin(), all.end());
  return all;
}

void registerAllOps(OpRegistry &registry) {
  registerActivationOps(registry);
  registerColumnOps(registry);
  registerConstantOps(registry);
  registerControlOps(registry);
  registerConvolutionOps(registry);
  registerEinsumOps(registry);
  registerElementwiseOps(registry);
  registerGatherOps(registry);
  registerLossOps(registry);
  registerMatMulOps(registry);
  registerNormalizationOps(registry);
  registerPoolingOps(registry);
  registerQuantizationOps(registry);
  registerRandomOps(registry);
  registerRecurrentOps(registry);
  registerReductionOps(registry);
  registerRegionOps(registry);
  registerResizeOps(registry);
  registerSelectionOps(registry);
  registerShapeOps(registry);
  registerSignalOps(registry);
  registerSliceOps(registry);
  registerSoftmaxOps(registry);
  registerTextOps(registry);
  registerTrainingOps(registry);
  registerVisionOps(registry);
}

} // namespace tenon::onnx
