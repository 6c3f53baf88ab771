// Damages enums, kinds and names of choices in model files and imports them,
// with sanitizers: a number from a file must never index out of bounds. Each
// file is imported or refused with a message.
#include "test/bad/OneNodeModels.h"
#include "test/bad/TfFolder.h"

#include "compiler/import/tensorflow/graph/TfImporter.h"
#include "compiler/import/tensorflow/reader/TfReader.h"
#include "compiler/pipeline/Phases.h"

#include <cstdlib>
#include <random>

/// Disables poisoning: LLVM's allocator poisons its memory, but MLIR is not
/// instrumented.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_leaks=0";
}

namespace tenon::test {
namespace {

std::mt19937_64 random(20261123);

/// The number of files to damage; TENON_TEST_MUTATIONS overrides it.
int rounds(int usual) {
  const char *text = std::getenv("TENON_TEST_MUTATIONS");
  return text ? std::atoi(text) : usual;
}

int64_t number() {
  static const int64_t known[] = {
      INT64_MIN, -4294967295, INT32_MIN, -3,  -1,        0,          1,
      2,         3,           7,         8,   9,         10,         11,
      14,        15,          16,        17,  21,        23,         26,
      27,        33,          34,        99,  100,       101,        107,
      134,       255,         999,       256, INT32_MAX, 4294967297, INT64_MAX};
  return known[random() % std::size(known)];
}

std::string text() {
  static const char *const known[] = {
      "", "x", "NCHW", "SAME", "linear", "none", "EXPLICIT", "SYMMETRIC"};
  return known[random() % std::size(known)];
}

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

/// A field of a message, with its index if it is repeated.
struct Place {
  Message *message;
  const FieldDescriptor *field;
  int index;
};

/// Collects numbers that may be enums, strings that may name choices, and oneof
/// fields.
void findPlaces(Message &message, std::vector<Place> &places) {
  const auto *reflection = message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    bool named = field->name() == "name" || field->name() == "input" ||
                 field->name() == "output";
    int count =
        field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (!named && field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
        places.push_back({&message, field, field->is_repeated() ? i : -1});
      else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
        findPlaces(field->is_repeated()
                       ? *reflection->MutableRepeatedMessage(&message, field, i)
                       : *reflection->MutableMessage(&message, field),
                   places);
    }
  }
}

void damage(const Place &place) {
  auto [message, field, i] = place;
  const auto *r = message->GetReflection();
  bool many = i >= 0;
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    return many ? r->SetRepeatedInt32(message, field, i, int32_t(number()))
                : r->SetInt32(message, field, int32_t(number()));
  case FieldDescriptor::CPPTYPE_INT64:
    return many ? r->SetRepeatedInt64(message, field, i, number())
                : r->SetInt64(message, field, number());
  case FieldDescriptor::CPPTYPE_ENUM:
    // A closed enum: protobuf would keep an unknown number as an unknown field.
    return many ? void() : r->SetEnumValue(message, field, int(random() % 18));
  case FieldDescriptor::CPPTYPE_BOOL:
    return many ? r->SetRepeatedBool(message, field, i, random() % 2)
                : r->SetBool(message, field, random() % 2);
  case FieldDescriptor::CPPTYPE_STRING:
    return many ? r->SetRepeatedString(message, field, i, text())
                : r->SetString(message, field, text());
  default:
    // Clear it, so that the oneof has another kind.
    return r->ClearField(message, field);
  }
}

template <typename Proto> void damageSome(Proto &model) {
  for (unsigned edits = 1 + random() % 2; edits > 0; --edits) {
    std::vector<Place> places;
    findPlaces(model, places);
    if (!places.empty())
      damage(places[random() % places.size()]);
  }
}

bool isSettled(Status status) {
  return status == Status::Success || status == Status::InvalidModel ||
         status == Status::Unsupported || status == Status::Limit ||
         status == Status::Usage || status == Status::Io;
}

TEST(EnumMutation, OnnxAttributesAndTypes) {
  const auto &models = oneNodeModels();
  if (models.empty())
    GTEST_SKIP() << "needs " << onnxCases;
  int accepted = 0, refused = 0;
  auto next = models.begin();
  for (int round = 0; round < rounds(300); ++round) {
    ::onnx::ModelProto model = next->second;
    std::string op = next->first;
    if (++next == models.end())
      next = models.begin();
    // Attributes hold most of a node's content, so damage them more often.
    auto *node = model.mutable_graph()->mutable_node(0);
    if (node->attribute_size() > 0 && random() % 3)
      damageSome(*node->mutable_attribute(
          int(random() % size_t(node->attribute_size()))));
    else
      damageSome(model);
    Import import = importModel(model);
    ++(import.done ? accepted : refused);
    EXPECT_TRUE(isSettled(import.status()))
        << op << ", round " << round << ": " << import.text();
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
  RecordProperty("accepted", accepted);
  RecordProperty("refused", refused);
}

class TfEnumMutation : public TfFolder {
protected:
  /// Reads and imports `path` and returns the status.
  Status import(const std::string &path) {
    Status status = Status::Internal;
    auto report = [&](const Diagnostic &d) {
      if (d.severity == Severity::Error && status == Status::Internal)
        status = d.status;
      (void)formatDiagnostic(d);
    };
    std::unique_ptr<tf::Model> model = readTensorFlow(path, "", report);
    if (!model)
      return status;
    mlir::MLIRContext context;
    CompileOptions options;
    options.input = path;
    return importTensorFlow(context, *model, options, checkSizes, report)
               ? Status::Success
               : status;
  }

  void expectSettled(const std::string &path, const std::string &what) {
    Status status = import(path);
    ++(status == Status::Success ? accepted : refused);
    EXPECT_TRUE(isSettled(status)) << what << ": " << int(status);
  }

  int accepted = 0, refused = 0;
};

TEST_F(TfEnumMutation, AttributesAndTypesOfGraphs) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry :
       std::filesystem::directory_iterator(TENON_TEST_TF_GRAPHS))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (int round = 0; round < rounds(300); ++round) {
    const auto &path = files[size_t(round) % files.size()];
    std::ifstream stream(path, std::ios::binary);
    tf::proto::GraphDef graph;
    ASSERT_TRUE(graph.ParseFromIstream(&stream)) << path;
    damageSome(graph);
    write("graph.pb", graph.SerializeAsString());
    expectSettled(root / "graph.pb",
                  path.stem().string() + ", round " + std::to_string(round));
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(TfEnumMutation, KindsAndTypesOfSavedModels) {
  writeBundle({{"w", {1, 2}}});
  tf::proto::SavedModel good = variedTfModel();
  for (int round = 0; round < rounds(100); ++round) {
    tf::proto::SavedModel model = good;
    damageSome(model);
    write("saved_model.pb", model.SerializeAsString());
    expectSettled(root, "round " + std::to_string(round));
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
}

} // namespace
} // namespace tenon::test
