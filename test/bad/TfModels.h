// Compiles a SavedModel up to shape inference and checks the result.
#ifndef TENON_TEST_BAD_TFMODELS_H
#define TENON_TEST_BAD_TFMODELS_H

#include "compiler/Compiler.h"
#include "test/bad/TfFolder.h"

namespace tenon::test {

class TfModel : public TfFolder {
protected:
  /// Compiles the folder; `said` becomes the messages.
  Status compile();
  /// Compiles the folder's `graph.pb`, a frozen graph.
  Status compileGraph();
  Status compile(const tf::proto::SavedModel &model) {
    write("saved_model.pb", model.SerializeAsString());
    return compile();
  }

  /// Expects a refusal with status `want` and a message that contains `words`.
  void expectRefused(Status want, const std::string &words);
  void expectRefused(const tf::proto::SavedModel &model, Status want,
                     const std::string &words) {
    write("saved_model.pb", model.SerializeAsString());
    expectRefused(want, words);
  }
  void expectCompiled(const tf::proto::SavedModel &model) {
    EXPECT_EQ(int(compile(model)), 0) << said;
  }
  /// Expects success, or a refusal with a message and a status for models.
  void expectSettled(const std::string &what);

  CompileOptions options;
  std::string said;
  int accepted = 0, refused = 0;
};

} // namespace tenon::test

#endif // TENON_TEST_BAD_TFMODELS_H
