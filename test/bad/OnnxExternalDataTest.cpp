// Tests weights in files beside the model: the paths that are opened, those
// that are refused, and that a refusal comes before any access.
#include "test/bad/OnnxModels.h"

#include "compiler/files/FileRoot.h"
#include "compiler/files/Sha1.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace tenon::test {
namespace {

using Proto = ::onnx::TensorProto;

using Entries = std::vector<std::pair<std::string, std::string>>;

/// An external tensor f32[256], 1 KiB.
Proto makeExternal(const Entries &entries, int count = 256) {
  Proto tensor;
  tensor.set_name("e");
  tensor.set_data_type(Proto::FLOAT);
  tensor.add_dims(count);
  tensor.set_data_location(Proto::EXTERNAL);
  for (const auto &[key, value] : entries) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  return tensor;
}

::onnx::ModelProto makeModelWith(const Proto &tensor) {
  ::onnx::ModelProto model = makeModel();
  *model.mutable_graph()->add_initializer() = tensor;
  return model;
}

std::string weights() {
  std::string bytes(1024, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = char(i * 7);
  return bytes;
}

class OnnxExternalData : public testing::Test {
protected:
  OnnxExternalData() { folder.write("w.bin", weights()); }

  Reading readWith(const Proto &tensor) {
    folder.write("m.onnx", makeModelWith(tensor).SerializeAsString());
    return readFile(folder / "m.onnx");
  }
  Reading readAt(const std::string &location) {
    return readWith(makeExternal({{"location", location}}));
  }

  Folder folder;
};

TEST_F(OnnxExternalData, IsReadFromTheModelsFolder) {
  Reading reading = readAt("w.bin");
  ASSERT_TRUE(reading.model) << reading.text();
  auto bytes = reading.model->bytes(reading.model->graph.initializers.back());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(std::memcmp(bytes->data(), weights().data(), 1024), 0);
  std::filesystem::create_directory(folder / "sub");
  folder.write("sub/w.bin", weights());
  expectRead(readAt("sub/w.bin"));
  expectRead(readAt("./w.bin"));
}

TEST_F(OnnxExternalData, LocationsThatLeaveTheFolderAreRefusedUnseen) {
  for (const char *location :
       {"../../etc/passwd", "sub/../../x", "/etc/passwd", "C:\\x", "C:x",
        "a\\..\\b", "", "file:///etc/passwd", "..", "a/..", "no/../such"}) {
    Reading reading = readAt(location);
    expectRefused(reading, Status::InvalidModel, "folder");
    EXPECT_EQ(reading.text().find("No such file"), std::string::npos);
  }
  expectRefused(readAt(std::string("w.bin\0x", 7)), Status::InvalidModel,
                "NUL");
  expectRefused(readAt("*/_ORT_MEM_ADDR_/*"), Status::InvalidModel,
                "address in memory");
}

TEST_F(OnnxExternalData, LinksCountByWhatTheyResolveTo) {
  Folder outside;
  outside.write("secret", weights());
  std::filesystem::create_directory(folder / "real");
  folder.write("real/w.bin", weights());
  auto link = [&](const std::string &target, const std::string &name) {
    std::filesystem::create_symlink(target, folder / name);
  };
  link("w.bin", "inside");
  link(folder / "w.bin", "absolute-inside");
  link("real", "folder-inside");
  link(outside / "secret", "outside");
  link(outside.path, "folder-outside");
  link("/proc/self/environ", "magic");
  expectRead(readAt("inside"));
  expectRead(readAt("absolute-inside"));
  expectRead(readAt("folder-inside/w.bin"));
  for (const char *name : {"outside", "folder-outside/secret", "magic"})
    expectRefused(readAt(name), Status::InvalidModel, "leaves");
  std::filesystem::create_hard_link(folder / "w.bin", folder / "hard");
  expectRead(readAt("hard"));
}

TEST_F(OnnxExternalData, LinkedModelReadsFromItsResolvedFolder) {
  // Checkpoint caches have this layout: snapshots/* are links to blobs/*.
  for (const char *name : {"snapshots", "blobs"})
    std::filesystem::create_directory(folder / name);
  folder.write(
      "blobs/1234",
      makeModelWith(makeExternal({{"location", "w.bin"}})).SerializeAsString());
  folder.write("blobs/5678", weights());
  std::filesystem::create_symlink("../blobs/1234", folder / "snapshots/m.onnx");
  std::filesystem::create_symlink("../blobs/5678", folder / "snapshots/w.bin");
  expectRead(readFile(folder / "snapshots/m.onnx"));
  std::filesystem::remove(folder / "snapshots/w.bin");
  std::filesystem::create_symlink("../w.bin", folder / "snapshots/w.bin");
  expectRefused(readFile(folder / "snapshots/m.onnx"), Status::InvalidModel,
                "leaves");
}

TEST_F(OnnxExternalData, OnlyRegularFilesAreOpened) {
  ASSERT_EQ(mkfifo((folder / "fifo").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "dir");
  auto start = std::chrono::steady_clock::now();
  expectRefused(readAt("fifo"), Status::InvalidModel, "regular file");
  expectRefused(readAt("dir"), Status::InvalidModel, "regular file");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, (folder / "socket").c_str());
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(
      bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address),
      0);
  expectRefused(readAt("socket"), Status::InvalidModel, "regular file");
  close(listener);
  // mknod for a device needs a privilege.
  if (mknod((folder / "zero").c_str(), S_IFCHR | 0600, makedev(1, 5)) == 0)
    expectRefused(readAt("zero"), Status::InvalidModel, "regular file");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST_F(OnnxExternalData, RangesLieInTheFile) {
  auto with = [&](const char *key, const std::string &value) {
    return readWith(makeExternal({{"location", "w.bin"}, {key, value}}));
  };
  for (const char *key : {"offset", "length"})
    for (const char *value :
         {"-1", "abc", "18446744073709551616", "", "0x10", "1 "})
      expectRefused(with(key, value), Status::InvalidModel, key);
  expectRefused(with("length", "1152921504606846976"), Status::InvalidModel,
                "expected a length of 1024");
  expectRefused(with("offset", "1"), Status::InvalidModel, "1024 bytes");
  expectRefused(with("offset", "18446744073709551615"), Status::InvalidModel,
                "at offset");
  expectRefused(with("location", "w.bin"), Status::InvalidModel, "twice");
  expectRefused(readWith(makeExternal({{"offset", "0"}})), Status::InvalidModel,
                "location");
  expectRefused(readWith(makeExternal({{"location", "w.bin"}}, 257)),
                Status::InvalidModel, "1028");
}

TEST_F(OnnxExternalData, UnknownKeysAreIgnoredWithOneWarning) {
  Reading reading = readWith(makeExternal(
      {{"location", "w.bin"}, {"__class__", "x"}, {"basepath", "y"}}));
  ASSERT_TRUE(reading.model) << reading.text();
  ASSERT_EQ(reading.said.size(), 1u);
  EXPECT_EQ(reading.said[0].severity, Severity::Warning);
  Entries many(1000000, {"k", "v"});
  expectRefused(readWith(makeExternal(many)), Status::Limit, "external_data");
}

TEST_F(OnnxExternalData, EveryPlaceOfATensorHasTheSameRefusals) {
  Proto evil = makeExternal({{"location", "../w.bin"}});
  std::vector<::onnx::ModelProto> models(9, makeModel());
  auto *sparse = models[0].mutable_graph()->add_sparse_initializer();
  *sparse->mutable_values() = evil;
  sparse->add_dims(1000);
  auto *constant = addNode(models[1].mutable_graph(), "Constant", {}, {"c"});
  *addAttribute(constant, "sparse_value", ::onnx::AttributeProto::SPARSE_TENSOR)
       ->mutable_sparse_tensor() = *sparse;
  constant = addNode(models[2].mutable_graph(), "Constant", {}, {"c"});
  *addAttribute(constant, "value", ::onnx::AttributeProto::TENSOR)
       ->mutable_t() = evil;
  auto *function = models[3].add_functions();
  function->set_name("f");
  function->set_domain("d");
  *function->add_node() = *constant;
  auto branches = addIf(models[4].mutable_graph(), "x", "z");
  *branches.thenBranch->add_initializer() = evil;
  // In a node two levels down.
  branches = addIf(models[5].mutable_graph(), "x", "z");
  *addIf(branches.elseBranch, "x", "u").thenBranch->add_node() = *constant;
  // The indices of a sparse tensor with valid values.
  sparse = models[6].mutable_graph()->add_sparse_initializer();
  *sparse->mutable_values() = makeFloats("s", 1);
  *sparse->mutable_indices() = makeExternal({{"location", "../w.bin"}}, 1);
  sparse->mutable_indices()->set_data_type(Proto::INT64);
  sparse->add_dims(1000);
  // Lists of tensors, plain and sparse.
  auto *node = addNode(models[7].mutable_graph(), "Any", {}, {"c"});
  *addAttribute(node, "list", ::onnx::AttributeProto::TENSORS)->add_tensors() =
      evil;
  node = addNode(models[8].mutable_graph(), "Any", {}, {"c"});
  *addAttribute(node, "list", ::onnx::AttributeProto::SPARSE_TENSORS)
       ->add_sparse_tensors() = *sparse;
  for (size_t i = 0; i < models.size(); ++i) {
    SCOPED_TRACE(i);
    folder.write("m.onnx", models[i].SerializeAsString());
    expectRefused(readFile(folder / "m.onnx"), Status::InvalidModel,
                  "leaves the model directory");
  }
}

TEST_F(OnnxExternalData, ModelFromMemoryNeedsABaseDirectory) {
  auto model = makeModelWith(makeExternal({{"location", "w.bin"}}));
  expectRefused(read(model), Status::InvalidModel, "base directory needed");
  expectRead(read(model, folder.path));
}

/// Opens `name` below `root` repeatedly while `one` and `other` exchange
/// places. Each time it must give our file, whose bytes are 'd', or be refused.
void openWhileSwapped(const Folder &root, const char *name, const char *one,
                      const char *other) {
  FileRoot files(root.path, root.path);
  std::atomic<bool> stop = false;
  std::thread racer([&] {
    while (!stop)
      renameat2(AT_FDCWD, (root / one).c_str(), AT_FDCWD,
                (root / other).c_str(), RENAME_EXCHANGE);
  });
  int opened = 0, refused = 0, outside = 0;
  for (int i = 0; i < 10000; ++i) {
    try {
      auto file = files.open(name);
      char byte = 0;
      outside += !file->read(0, &byte, 1) || byte != 'd';
      ++opened;
    } catch (const FileError &) {
      ++refused;
    }
  }
  stop = true;
  racer.join();
  EXPECT_EQ(outside, 0);
  EXPECT_GT(opened, 0);
  EXPECT_GT(refused, 0);
}

TEST_F(OnnxExternalData, SwappedNamesNeverOpenOutside) {
  Folder outside;
  outside.write("secret", std::string(64, 'S'));
  folder.write("data", std::string(64, 'd'));
  std::filesystem::create_symlink(outside / "secret", folder / "link");
  openWhileSwapped(folder, "data", "data", "link");
}

TEST_F(OnnxExternalData, SwappedFoldersNeverOpenOutside) {
  Folder outside;
  outside.write("data", std::string(64, 'S'));
  std::filesystem::create_directory(folder / "sub");
  folder.write("sub/data", std::string(64, 'd'));
  std::filesystem::create_directory_symlink(outside.path, folder / "link");
  openWhileSwapped(folder, "sub/data", "sub", "link");
}

TEST_F(OnnxExternalData, BitsAreKept) {
  // Quiet and signalling NaNs with payloads, infinities, denormals, zeros.
  const uint32_t bits[] = {0x7fc00001, 0xffc12345, 0x7f800001, 0xff923456,
                           0x7f800000, 0xff800000, 0x00000001, 0x807fffff,
                           0x80000000, 0x00000000};
  folder.write("bits.bin",
               std::string(reinterpret_cast<const char *>(bits), sizeof bits));
  ::onnx::ModelProto model =
      makeModelWith(makeExternal({{"location", "bits.bin"}}, 10));
  Proto raw = makeFloats("raw", 10), typed = raw;
  raw.set_raw_data(bits, sizeof bits);
  typed.set_name("typed");
  typed.clear_raw_data();
  for (uint32_t pattern : bits) {
    float value;
    std::memcpy(&value, &pattern, 4);
    typed.add_float_data(value);
  }
  *model.mutable_graph()->add_initializer() = raw;
  *model.mutable_graph()->add_initializer() = typed;
  Reading reading = read(model, folder.path);
  ASSERT_TRUE(reading.model) << reading.text();
  for (size_t i = 1; i <= 3; ++i) {
    auto bytes = reading.model->bytes(reading.model->graph.initializers[i]);
    ASSERT_TRUE(bytes);
    EXPECT_EQ(std::memcmp(bytes->data(), bits, sizeof bits), 0) << i;
  }
}

TEST_F(OnnxExternalData, MissingAndUnreadableFilesAreIoErrors) {
  expectRefused(readAt("absent.bin"), Status::Io, "absent.bin");
  Reading good = readAt("w.bin"); // writes the model
  expectRead(good);
  chmod((folder / "w.bin").c_str(), 0);
  // Root can read files of mode 000, so the test changes its user for a moment.
  uid_t user = geteuid();
  chmod(folder.path.c_str(), 0755);
  ASSERT_EQ(seteuid(user == 0 ? 65534 : user), 0);
  Reading reading = readFile(folder / "m.onnx");
  ASSERT_EQ(seteuid(user), 0);
  expectRefused(reading, Status::Io, "w.bin");
}

TEST_F(OnnxExternalData, FileThatShrankIsAnErrorWhenRead) {
  folder.write("big.bin", std::string(4096, 'b'));
  Reading reading = readWith(makeExternal({{"location", "big.bin"}}, 1024));
  ASSERT_TRUE(reading.model) << reading.text();
  std::filesystem::resize_file(folder / "big.bin", 100);
  EXPECT_FALSE(reading.model->bytes(reading.model->graph.initializers.back()));
}

TEST_F(OnnxExternalData, RangesMayBeSharedEmptyAndUnaligned) {
  folder.write("odd.bin", "x" + weights());
  ::onnx::ModelProto model = makeModel();
  for (int i = 0; i < 2; ++i) {
    Proto tensor = makeExternal({{"location", "odd.bin"}, {"offset", "1"}});
    tensor.set_name("e" + std::to_string(i));
    *model.mutable_graph()->add_initializer() = tensor;
  }
  *model.mutable_graph()->add_initializer() = makeExternal(
      {{"location", "odd.bin"}, {"offset", "1025"}, {"length", "0"}}, 0);
  Reading reading = read(model, folder.path);
  ASSERT_TRUE(reading.model) << reading.text();
  for (int i = 1; i <= 2; ++i) {
    auto bytes = reading.model->bytes(reading.model->graph.initializers[i]);
    EXPECT_EQ(std::memcmp(bytes->data(), weights().data(), 1024), 0);
  }
}

TEST_F(OnnxExternalData, DeclaredChecksumIsVerified) {
  Sha1 sha;
  std::string bytes = weights();
  sha.update(std::as_bytes(std::span(bytes.data(), bytes.size())));
  std::string digest = sha.finish();
  auto with = [&](const std::string &checksum) {
    return readWith(
        makeExternal({{"location", "w.bin"}, {"checksum", checksum}}));
  };
  expectRead(with(digest));
  expectRefused(with(std::string(40, '0')), Status::InvalidModel, digest);
}

TEST(Sha1, AgreesWithThePublishedExamples) {
  auto digest = [](const std::string &text) {
    Sha1 sha;
    sha.update(std::as_bytes(std::span(text.data(), text.size())));
    return sha.finish();
  };
  EXPECT_EQ(digest(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(digest("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
}

TEST_F(OnnxExternalData, PayloadBesideExternalDataIsRefused) {
  Proto tensor = makeExternal({{"location", "w.bin"}});
  tensor.set_raw_data(weights());
  expectRefused(readWith(tensor), Status::InvalidModel, "raw_data");
}

TEST_F(OnnxExternalData, MoreFilesThanDescriptorsAreRead) {
  ::onnx::ModelProto model = makeModel();
  for (int i = 0; i < 300; ++i) {
    std::string name = "t" + std::to_string(i);
    folder.write(name, std::string(2048, char(i)));
    Proto tensor = makeExternal({{"location", name}}, 512);
    tensor.set_name(name);
    *model.mutable_graph()->add_initializer() = tensor;
  }
  rlimit old, few;
  getrlimit(RLIMIT_NOFILE, &old);
  few = old;
  few.rlim_cur = 128;
  setrlimit(RLIMIT_NOFILE, &few);
  Reading reading = read(model, folder.path);
  EXPECT_TRUE(reading.model) << reading.text();
  if (reading.model)
    for (int i = 0; i < 300; ++i) {
      auto bytes =
          reading.model->bytes(reading.model->graph.initializers[i + 1]);
      ASSERT_TRUE(bytes);
      EXPECT_EQ(char((*bytes)[2047]), char(i));
    }
  // A file that replaces another is not the file that was checked.
  folder.write("other", std::string(2048, 'o'));
  std::filesystem::rename(folder / "other", folder / "t299");
  EXPECT_FALSE(reading.model->bytes(reading.model->graph.initializers[300]));
  setrlimit(RLIMIT_NOFILE, &old);
}

} // namespace
} // namespace tenon::test
