// Compiles SavedModels in tests.
#include "test/bad/TfModels.h"

namespace tenon::test {

static Status compileAt(const std::string &path, CompileOptions options,
                        std::string &said) {
  said.clear();
  Compiler compiler([&](const Diagnostic &d) { said += formatDiagnostic(d); });
  options.input = path;
  options.stopAfter = "shaped";
  Status status = Status::Internal;
  compiler.printStage(options, status);
  return status;
}

Status TfModel::compile() { return compileAt(root, options, said); }

Status TfModel::compileGraph() {
  return compileAt(root / "graph.pb", options, said);
}

void TfModel::expectRefused(Status want, const std::string &words) {
  Status status = compile();
  EXPECT_EQ(int(status), int(want)) << words << ": " << said;
  EXPECT_NE(said.find(words), std::string::npos)
      << "expected \"" << words << "\" in: " << said;
}

void TfModel::expectSettled(const std::string &what) {
  Status status = compile();
  ++(status == Status::Success ? accepted : refused);
  EXPECT_TRUE(status == Status::Success || status == Status::InvalidModel ||
              status == Status::Unsupported || status == Status::Limit ||
              status == Status::Usage || status == Status::Io)
      << what << ": " << int(status) << " " << said;
  EXPECT_TRUE(status == Status::Success || !said.empty()) << what;
}

} // namespace tenon::test
