// SavedModels to damage, written from protobuf text with bundles of LevelDB's
// own tables.
#ifndef TENON_TEST_BAD_TFFOLDER_H
#define TENON_TEST_BAD_TFFOLDER_H

#include "compiler/import/tensorflow/reader/tensorflow.pb.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace tenon::test {

/// A tensor of f32 by its checkpoint key.
using Variables = std::map<std::string, std::vector<float>>;

class TfFolder : public testing::Test {
public:
  TfFolder();
  ~TfFolder() override { std::filesystem::remove_all(root); }

  static tf::proto::SavedModel parse(const std::string &text);
  /// A model of one graph with the tag `serve`; `more` are fields beside it.
  static tf::proto::SavedModel savedModel(const std::string &nodes,
                                          const std::string &more = "");

  void write(const std::string &name, const std::string &bytes) const;
  std::string read(const std::string &name) const;
  /// variables/variables.index and its shard.
  void writeBundle(const Variables &variables) const;

  std::filesystem::path root;
};

/// Calls, a branch, a loop, a conditional of TensorFlow 1, a variable `w` of
/// two numbers and complex numbers.
tf::proto::SavedModel variedTfModel();

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

#endif // TENON_TEST_BAD_TFFOLDER_H
