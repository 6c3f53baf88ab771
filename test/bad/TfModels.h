// SavedModels to damage, written from protobuf text with bundles of LevelDB's
// own tables, and what compiling them as far as their sizes comes to.
#ifndef TENON_TEST_BAD_TFMODELS_H
#define TENON_TEST_BAD_TFMODELS_H

#include "compiler/Compiler.h"
#include "compiler/import/tensorflow/tensorflow.pb.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace tenon::test {

/// A tensor of f32 by its checkpoint key.
using Variables = std::map<std::string, std::vector<float>>;

class TfModel : public testing::Test {
protected:
  TfModel();
  ~TfModel() override { std::filesystem::remove_all(root); }

  static tf::proto::SavedModel parse(const std::string &text);
  /// A model of one graph with the tag `serve`; `more` are fields beside it.
  static tf::proto::SavedModel savedModel(const std::string &nodes,
                                          const std::string &more = "");

  void write(const std::string &name, const std::string &bytes) const;
  std::string read(const std::string &name) const;
  /// variables/variables.index and its shard.
  void writeBundle(const Variables &variables) const;

  /// What compiling the folder comes to; `said` is what it said.
  Status compile();
  /// The same of the folder's `graph.pb`, a frozen graph.
  Status compileGraph();
  Status compile(const tf::proto::SavedModel &model) {
    write("saved_model.pb", model.SerializeAsString());
    return compile();
  }

  /// Refused with `want`, in words that hold `words`.
  void expectRefused(Status want, const std::string &words);
  void expectRefused(const tf::proto::SavedModel &model, Status want,
                     const std::string &words) {
    write("saved_model.pb", model.SerializeAsString());
    expectRefused(want, words);
  }
  void expectCompiled(const tf::proto::SavedModel &model) {
    EXPECT_EQ(int(compile(model)), 0) << said;
  }
  /// Compiled, or refused in words with a status for models.
  void expectSettled(const std::string &what);

  std::filesystem::path root;
  CompileOptions options;
  std::string said;
  int accepted = 0, refused = 0;
};

/// A node's text.
std::string tfNode(const std::string &name, const std::string &op,
                   const std::vector<std::string> &inputs = {},
                   const std::string &attributes = "");
std::string tfAttr(const std::string &key, const std::string &value);
/// `x`, an input of f32 [2].
std::string tfInput();
/// A signature from `x` to the first result of a node.
std::string tfSignature(const std::string &output);

} // namespace tenon::test

#endif // TENON_TEST_BAD_TFMODELS_H
