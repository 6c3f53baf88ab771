// A good model for every operator we import, taken from ONNX's own cases: what
// tests damage systematically, so that a new operator is tested by being there.
#ifndef TENON_TEST_BAD_ONENODEMODELS_H
#define TENON_TEST_BAD_ONENODEMODELS_H

#include "compiler/import/onnx/OnnxImporter.h"
#include "compiler/import/onnx/OpRegistry.h"
#include "test/bad/OnnxModels.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <map>
#include <set>

namespace tenon::test {

/// What reading and importing came to.
struct Import : Reading {
  bool done = false;

  Status status() const { return done ? Status::Success : refusal(); }

private:
  Status refusal() const {
    for (const Diagnostic &d : said)
      if (d.severity == Severity::Error)
        return d.status;
    return Status::Internal; // refused without a word
  }
};

inline Import importModel(const ::onnx::ModelProto &proto) {
  Import result;
  auto report = [&](const Diagnostic &d) { result.said.push_back(d); };
  std::string bytes = proto.SerializeAsString();
  result.model = readOnnx(std::as_bytes(std::span(bytes.data(), bytes.size())),
                          "m.onnx", "", report);
  if (!result.model)
    return result;
  mlir::MLIRContext context;
  loadImportDialects(context);
  result.done = bool(importOnnx(context, *result.model, {}, report));
  return result;
}

/// Whether ONNX's cases are on this machine.
inline const char *const onnxCases = "/usr/share/libonnx-testdata/data/node";

/// Operator to the smallest of ONNX's cases that has one node and is imported.
inline const std::map<std::string, ::onnx::ModelProto> &oneNodeModels() {
  static const auto all = [] {
    std::map<std::string, ::onnx::ModelProto> models;
    std::set<std::filesystem::path> folders;
    if (std::filesystem::exists(onnxCases))
      for (const auto &entry : std::filesystem::directory_iterator(onnxCases))
        folders.insert(entry.path());
    for (const auto &folder : folders) {
      std::ifstream file(folder / "model.onnx", std::ios::binary);
      ::onnx::ModelProto model;
      if (!model.ParseFromIstream(&file) || model.graph().node_size() != 1 ||
          !model.graph().node(0).domain().empty())
        continue;
      auto &best = models[model.graph().node(0).op_type()];
      bool smaller =
          !best.has_graph() || model.ByteSizeLong() < best.ByteSizeLong();
      if (smaller && importModel(model).done)
        best = model;
    }
    std::erase_if(models, [](const auto &m) { return !m.second.has_graph(); });
    return models;
  }();
  return all;
}

} // namespace tenon::test

#endif // TENON_TEST_BAD_ONENODEMODELS_H
