// SavedModels to damage, made from protobuf text, with bundles written by
// LevelDB's table builder.
#ifndef TENON_TEST_BAD_TFFOLDER_H
#define TENON_TEST_BAD_TFFOLDER_H

#include "compiler/import/tensorflow/reader/tensorflow.pb.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

namespace tenon::test {

/// f32 tensors by checkpoint key.
using Variables = std::map<std::string, std::vector<float>>;

class TfFolder : public testing::Test {
public:
  TfFolder();
  ~TfFolder() override { std::filesystem::remove_all(root); }

  static tf::proto::SavedModel parse(const std::string &text);
  /// A model of one graph with the tag `serve`. `more` is text for further
  /// fields.
  static tf::proto::SavedModel savedModel(const std::string &nodes,
                                          const std::string &more = "");

  void write(const std::string &name, const std::string &bytes) const;
  std::string read(const std::string &name) const;
  /// Writes variables/variables.index and its shard.
  void writeBundle(const Variables &variables) const;

  std::filesystem::path root;
};

/// A model with calls, a branch, a loop, a TensorFlow 1 conditional, a variable
/// `w` of two numbers, and complex numbers.
tf::proto::SavedModel variedTfModel();

/// The protobuf text of a node.
std::string tfNode(const std::string &name, const std::string &op,
                   const std::vector<std::string> &inputs = {},
                   const std::string &attributes = "");
std::string tfAttr(const std::string &key, const std::string &value);
/// The text of `x`, an f32[2] input.
std::string tfInput();
/// The text of a signature from `x` to a node's first result.
std::string tfSignature(const std::string &output);

} // namespace tenon::test

#endif // TENON_TEST_BAD_TFFOLDER_H
