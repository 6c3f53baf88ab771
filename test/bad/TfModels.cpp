// Folders of SavedModels, and their way through the compiler.
#include "test/bad/TfModels.h"

#include "compiler/import/tensorflow/Crc32c.h"

#include <google/protobuf/text_format.h>
#include <leveldb/env.h>
#include <leveldb/options.h>
#include <leveldb/table_builder.h>

namespace tenon::test {

TfModel::TfModel() {
  std::string name =
      (std::filesystem::temp_directory_path() / "tenon-test-XXXXXX").string();
  root = mkdtemp(name.data());
  std::filesystem::create_directory(root / "variables");
}

tf::proto::SavedModel TfModel::parse(const std::string &text) {
  tf::proto::SavedModel model;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &model))
      << text;
  return model;
}

tf::proto::SavedModel TfModel::savedModel(const std::string &nodes,
                                          const std::string &more) {
  return parse("saved_model_schema_version: 1 meta_graphs { meta_info_def { "
               "tags: 'serve' } graph_def { " +
               nodes + " } " + more + " }");
}

void TfModel::write(const std::string &name, const std::string &bytes) const {
  std::ofstream(root / name, std::ios::binary) << bytes;
}

std::string TfModel::read(const std::string &name) const {
  std::ifstream stream(root / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream),
          std::istreambuf_iterator<char>()};
}

namespace {
/// The bytes of a table.
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

void TfModel::writeBundle(const Variables &variables) const {
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

} // namespace tenon::test
