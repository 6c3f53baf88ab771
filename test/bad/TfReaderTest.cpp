// Runs the SavedModel reader with sanitizers on damaged models. Each must be
// read or refused with a message.
#include "compiler/import/tensorflow/reader/TfReader.h"
#include "compiler/files/OpenFile.h"
#include "compiler/files/ReadFailure.h"
#include "compiler/import/tensorflow/reader/TensorBundle.h"
#include "test/bad/TfFolder.h"

namespace tenon::test {
namespace {

class TfReader : public TfFolder {
protected:
  TfReader() {
    Variables variables = {{"w", {1, 2}}};
    for (int i = 0; i < 20; ++i)
      variables["layer/" + std::to_string(i)] = {float(i)};
    writeBundle(variables);
    good = variedTfModel().SerializeAsString();
    write("saved_model.pb", good);
  }

  /// Reads the folder and its variable; expects success or a refusal.
  void expectSettled(const std::string &what) {
    std::string said;
    Status status = Status::Internal;
    auto report = [&](const Diagnostic &d) {
      said += formatDiagnostic(d);
      status = d.status;
    };
    auto model = readTensorFlow(root, "", report);
    ++(model ? accepted : refused);
    if (!model) {
      EXPECT_FALSE(said.empty()) << what;
      EXPECT_NE(int(status), int(Status::Internal)) << what << ": " << said;
      return;
    }
    // The bytes are read only on request.
    if (!model->bundle || !model->bundle->contains("w"))
      return;
    try {
      (void)model->bytes(model->bundle->tensor("w"));
    } catch (const ReadFailure &) {
    } catch (const FileError &) {
    }
  }

  std::string good;
  int accepted = 0, refused = 0;
};

TEST_F(TfReader, ModelsCutAtEveryByte) {
  for (size_t size = 0; size < good.size(); ++size) {
    write("saved_model.pb", good.substr(0, size));
    expectSettled("cut at " + std::to_string(size));
  }
  EXPECT_EQ(accepted, 0);
}

TEST_F(TfReader, ModelsWithEveryByteFlipped) {
  for (size_t i = 0; i < good.size(); ++i)
    for (int mask : {0xff, 0x01, 0x80}) {
      std::string bad = good;
      bad[i] = char(bad[i] ^ mask);
      write("saved_model.pb", bad);
      expectSettled("byte " + std::to_string(i));
    }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

TEST_F(TfReader, IndicesCutAndFlippedAtEveryByte) {
  const std::string name = "variables/variables.index";
  std::string index = read(name);
  expectSettled("the whole");
  EXPECT_EQ(accepted, 1);
  for (size_t i = 0; i < index.size(); ++i) {
    write(name, index.substr(0, i));
    expectSettled("cut at " + std::to_string(i));
    for (int mask : {0xff, 0x01}) {
      std::string bad = index;
      bad[i] = char(bad[i] ^ mask);
      write(name, bad);
      expectSettled("byte " + std::to_string(i));
    }
  }
  EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace tenon::test
