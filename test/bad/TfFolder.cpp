// Builds folders of SavedModels.
#include "test/bad/TfFolder.h"

#include "compiler/files/Crc32c.h"

#include <google/protobuf/text_format.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

namespace tenon::test {

TfFolder::TfFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "tenon-test-XXXXXX").string();
  root = mkdtemp(name.data());
  std::filesystem::create_directory(root / "variables");
}

tf::proto::SavedModel TfFolder::parse(const std::string &text) {
  tf::proto::SavedModel model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model))
      << text;
  return model;
}

tf::proto::SavedModel TfFolder::savedModel(const std::string &nodes,
                                           const std::string &more) {
  return parse("saved_model_schema_version: 1 meta_graphs { meta_info_def { "
               "tags: 'serve' } graph_def { " +
               nodes + " } " + more + " }");
}

void TfFolder::write(const std::string &name, const std::string &bytes) const {
  std::ofstream(root / name, std::ios::binary) << bytes;
}

std::string TfFolder::read(const std::string &name) const {
  std::ifstream stream(root / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream),
          std::istreambuf_iterator<char>()};
}

namespace {
/// A LevelDB file in memory.
class TableBytes : public leveldb::WritableFile {
public:
  std::string bytes;
  leveldb::Status Append(const leveldb::Slice &data) override {
    bytes.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
};
} // namespace

void TfFolder::writeBundle(const Variables &variables) const {
  std::string shard;
  TableBytes index;
  leveldb::Options format;
  format.compression = leveldb::kNoCompression;
  leveldb::TableBuilder table(format, &index);
  tf::proto::BundleHeader header;
  header.set_num_shards(1);
  table.Add("", header.SerializeAsString());
  for (const auto &[key, values] : variables) {
    tf::proto::BundleEntry entry;
    entry.set_dtype(1);
    entry.mutable_shape()->add_dim()->set_size(int64_t(values.size()));
    entry.set_offset(int64_t(shard.size()));
    entry.set_size(int64_t(values.size() * sizeof(float)));
    auto bytes = std::as_bytes(std::span(values));
    entry.set_crc32c(tf::maskedCrc32c(tf::crc32c(bytes)));
    shard.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    table.Add(key, entry.SerializeAsString());
  }
  ASSERT_TRUE(table.Finish().ok());
  write("variables/variables.index", index.bytes);
  write("variables/variables.data-00000-of-00001", shard);
}

std::string tfNode(const std::string &name, const std::string &op,
                   const std::vector<std::string> &inputs,
                   const std::string &attributes) {
  std::string text = "node { name: '" + name + "' op: '" + op + "'";
  for (const std::string &input : inputs)
    text += " input: '" + input + "'";
  return text + " " + attributes + " } ";
}

std::string tfAttr(const std::string &key, const std::string &value) {
  return "attr { key: '" + key + "' value { " + value + " } } ";
}

std::string tfInput() {
  return tfNode("x", "Placeholder", {}, tfAttr("dtype", "type: 1"));
}

std::string tfSignature(const std::string &output) {
  const std::string info = "dtype: 1 tensor_shape { dim { size: 2 } }";
  return "signature_def { key: 'serving_default' value { inputs { key: 'x' "
         "value { name: 'x:0' " +
         info + " } } outputs { key: 'y' value { name: '" + output + ":0' " +
         info + " } } } } ";
}

tf::proto::SavedModel variedTfModel() {
  auto floats = [](const std::string &values) {
    return tfAttr("dtype", "type: 1") +
           tfAttr("value", "tensor { dtype: 1 tensor_shape { dim { size: 2 } "
                           "} " +
                               values + " }");
  };
  const std::string flag =
      tfAttr("value", "tensor { dtype: 10 tensor_shape { } bool_val: true }");
  std::string nodes =
      tfInput() + tfNode("w", "VarHandleOp", {}, tfAttr("dtype", "type: 1")) +
      tfNode("read", "ReadVariableOp", {"w"}, tfAttr("dtype", "type: 1")) +
      tfNode("c", "Const", {}, floats("float_val: 2 float_val: 3")) +
      tfNode("sum", "AddV2", {"x", "read"}) +
      tfNode("call", "PartitionedCall", {"sum", "c"},
             tfAttr("f", "func { name: 'twice' }")) +
      tfNode("flag", "Less", {"zero", "one"}) +
      tfNode("zero", "Const", {},
             tfAttr("value", "tensor { dtype: 1 tensor_shape { } }")) +
      tfNode("one", "Max", {"x", "axis"}) +
      tfNode("axis", "Const", {},
             tfAttr("value", "tensor { dtype: 3 tensor_shape { } }")) +
      tfNode("if", "If", {"flag", "call", "c"},
             tfAttr("then_branch", "func { name: 'twice' }") +
                 tfAttr("else_branch", "func { name: 'twice' }")) +
      tfNode("while", "While", {"one", "if"},
             tfAttr("cond", "func { name: 'below' }") +
                 tfAttr("body", "func { name: 'step' }")) +
      tfNode("fork", "Switch", {"while:1", "flag"}) +
      tfNode("minus", "Neg", {"fork:1"}) +
      tfNode("merge", "Merge", {"fork", "minus"}) +
      tfNode("length", "Const", {},
             tfAttr("value", "tensor { dtype: 3 tensor_shape { dim { size: 1 "
                             "} } int_val: 2 }")) +
      tfNode("fft", "RFFT", {"merge", "length"}) +
      tfNode("y", "ComplexAbs", {"fft"}) + tfNode("unused", "Const", {}, flag);
  auto argument = [](const std::string &kind, const std::string &name) {
    return kind + "_arg { name: '" + name + "' type: 1 } ";
  };
  auto inner = [](std::string node) { return "node_def" + node.substr(4); };
  nodes +=
      "library { function { signature { name: 'twice' " +
      argument("input", "a") + argument("input", "b") +
      argument("output", "r") + "} " + inner(tfNode("m", "Mul", {"a", "b"})) +
      "ret { key: 'r' value: 'm:z:0' } } function { signature { name: "
      "'below' " +
      argument("input", "i") + argument("input", "v") +
      argument("output", "r") + "} " + inner(tfNode("l", "Less", {"i", "i"})) +
      "ret { key: 'r' value: 'l:z:0' } } function { signature { name: "
      "'step' " +
      argument("input", "i") + argument("input", "v") +
      argument("output", "j") + argument("output", "u") + "} " +
      inner(tfNode("e", "Exp", {"v"})) +
      "ret { key: 'j' value: 'i' } ret { key: 'u' value: 'e:y:0' } } } ";
  return TfFolder::savedModel(nodes, tfSignature("y"));
}

} // namespace tenon::test
