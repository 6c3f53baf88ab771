// Files of PyTorch weights, made by hand: what is read from them, what is
// refused, and files with damaged bytes.
#include "test/huggingface/CheckpointFolder.h"
#include "test/huggingface/PytorchArchive.h"

#include "compiler/import/huggingface/reader/PytorchFile.h"
#include "compiler/import/huggingface/reader/TensorPickle.h"

#include <cstring>
#include <random>

namespace tenon::test {
namespace {

using hf::StoredTensor;
using namespace pytorch;

struct Result : Outcome {
  std::vector<StoredTensor> tensors;
};

Result readFile(const std::string &bytes) {
  Result result;
  hf::ByteSource source{
      bytes.size(), [&](uint64_t offset, void *into, size_t count) {
        if (offset > bytes.size() || count > bytes.size() - offset)
          return false;
        std::memcpy(into, bytes.data() + offset, count);
        return true;
      }};
  static_cast<Outcome &>(result) =
      outcomeOf([&] { result.tensors = hf::readPytorchFile(source); });
  return result;
}

TEST(PytorchFile, TensorsAreRangesOfTheFile) {
  std::string attributes = "}" + text("_metadata") + std::string("h\0)R", 4) +
                           "(" + text("") + "}" + text("version") + "K\1" +
                           "su" + "sb";
  std::string whole =
      head + "(" + text("a") + tensor(floats, 0, {2, 3}, {3, 1}) + text("b") +
      tensor(storage("BFloat16Storage", "1", 4), 1, {3}, {1}) + text("row") +
      tensor(floats, 3, {1, 3}, {77, 1}) + text("p") +
      name("torch._utils", "_rebuild_parameter") + "(" +
      tensor(floats, 0, {}, {}) + "\x88" + std::string("h\0)R", 4) + "tR" +
      text("none") + tensor(floats, 6, {0, 5}, {5, 1}) + "u" + attributes + ".";
  std::string bytes = archive(whole);
  Result result = readFile(bytes);
  ASSERT_TRUE(result.done) << result.text();
  ASSERT_EQ(result.tensors.size(), 5u);
  uint64_t first = bytes.find(std::string(24, '\1'));
  uint64_t second = bytes.find(std::string(8, '\2'));
  auto expect = [&](size_t i, const char *name, const char *dtype,
                    const std::vector<int64_t> &dims, uint64_t offset,
                    uint64_t length) {
    const StoredTensor &got = result.tensors[i];
    EXPECT_EQ(got.name, name);
    EXPECT_EQ(got.dtype, dtype);
    EXPECT_EQ(got.dims, dims);
    EXPECT_EQ(got.offset, offset) << name;
    EXPECT_EQ(got.length, length) << name;
  };
  expect(0, "a", "F32", {2, 3}, first, 24);
  expect(1, "b", "BF16", {3}, second + 2, 6);
  expect(2, "row", "F32", {1, 3}, first + 12, 12);
  expect(3, "p", "F32", {}, first, 4);
  expect(4, "none", "F32", {0, 5}, first + 24, 0);
}

TEST(PytorchFile, Zip64) {
  std::string whole =
      Archive{.in64Bits = true}
          .add("m/data.pkl", pickle(tensor(floats, 0, {2, 3}, {3, 1})))
          .add("m/data/0", std::string(24, '\1'))
          .whole("a comment");
  Result result = readFile(whole);
  ASSERT_TRUE(result.done) << result.text();
  EXPECT_EQ(result.tensors[0].offset, whole.find(std::string(24, '\1')));
}

TEST(PytorchFile, InstructionsAndNamesBeyondTensorsAreRefused) {
  for (const auto &[value, words] :
       {std::pair<std::string, const char *>{
            name("os", "system") + text("true") + "\x85R",
            "the name \"os.system\" has no place"},
        {name("builtins", "eval"), "\"builtins.eval\""},
        {name("torch", "load"), "\"torch.load\""},
        {name("torch", "ComplexFloatStorage"), "ComplexFloatStorage"},
        {text("os") + text("system") + "\x93", "0x93 (STACK_GLOBAL)"},
        {"(ios\nsystem\n", "0x69 (INST)"},
        {"(o", "0x6f (OBJ)"},
        {")\x81", "0x81 (NEWOBJ)"},
        {"\x95", "0x95 (FRAME)"},
        {"P1\n", "0x50 (PERSID)"},
        {"]", "0x5d (EMPTY_LIST)"},
        {"\xff", "0xff"},
        {std::string("h\0", 2) + integer(1) + "\x85R", "other arguments"},
        {"K\1", "expected a tensor, got an integer"},
        {floats, "expected a tensor, got a storage"},
        {std::string("h\0", 2), "expected a tensor, got a name"},
        {tensor(floats, 0, {3, 2}, {1, 3}), "expected elements side by side"},
        {tensor(floats, 0, {2, 2}, {3, 1}), "expected elements side by side"},
        {tensor(floats, 0, {2}, {0}), "expected elements side by side"}})
    expectRefused(readFile(archive(pickle(value))), Status::Unsupported, words);
  for (const char *version : {"3", "4", "5"}) {
    Result later =
        readFile(archive(std::string("\x80") + char(version[0] - '0') + "."));
    expectRefused(later, Status::Unsupported,
                  std::string("expected protocol 2, got ") + version);
    expectRefused(later, Status::Unsupported,
                  "help: save the state_dict() of the model as safetensors, or "
                  "by torch.save without pickle_protocol");
  }
  expectRefused(readFile(archive("\x80\x02).")), Status::Unsupported,
                "expected a dictionary of tensors, got a tuple");
}

TEST(PytorchFile, PicklesThatContradictThemselves) {
  std::string good = tensor(floats, 0, {2, 3}, {3, 1});
  int64_t large = int64_t(1) << 62;
  for (const auto &[value, words] :
       {std::pair<std::string, const char *>{tensor(floats, 1, {2, 3}, {3, 1}),
                                             "end after those"},
        {tensor(floats, -1, {1}, {1}), "from 0 on"},
        {tensor(floats, INT64_MAX, {1}, {1}), "end after those"},
        {tensor(floats, 0, {-1}, {1}), "from 0 on"},
        {tensor(floats, 0, {1}, {}), "a stride for each"},
        {tensor(floats, 0, {large, 4}, {4, 1}), "than a file can hold"},
        {tensor(storage("FloatStorage", "9", 6), 0, {1}, {1}), "no entry"},
        {tensor(storage("FloatStorage", "0", 7), 0, {1}, {1}),
         "expected 7 elements of 4 bytes"},
        {tensor(storage("DoubleStorage", "0", 6), 0, {1}, {1}),
         "expected 6 elements of 8 bytes"},
        {tensor(storage("FloatStorage", "0", -1), 0, {1}, {1}),
         "the size of a storage"},
        {tensor(text("x"), 0, {1}, {1}), "expected a storage as"},
        {good + text("a") + good, "the dictionary has it twice"},
        {good + integer(1) + good, "as the name of a tensor"},
        {"h\x63", "nothing was kept as 99"},
        {"0", "has no place"},
        {"\x87", "expected a value on the stack"},
        {std::string("X\xff\xff\xff\xff", 5), "expected 4294967295 bytes"},
        {"cos", "expected a line"}}) {
    Result result = readFile(archive(pickle(value)));
    EXPECT_FALSE(result.done) << words;
    EXPECT_NE(result.text().find(words), std::string::npos) << result.text();
  }
  for (const std::string &whole :
       {std::string(), head, head + "u.", head + "t.", head + "(.", head + "..",
        head + head + ".", std::string(".")})
    expectRefused(readFile(archive(whole)), Status::InvalidModel, "pickle");
}

TEST(PytorchFile, SizesAreLimited) {
  std::string many = head;
  for (int i = 0; i < 1'000'001; ++i)
    many += ')';
  expectRefused(readFile(archive(many)), Status::Limit, "1000000 values");
  many = head;
  for (int i = 0; i < 1'000'001; ++i)
    many += '(';
  expectRefused(readFile(archive(many)), Status::Limit, "1000000 values");
  // Tuples in one another cost no stack.
  many = head;
  for (int i = 0; i < 900'000; ++i)
    many += '\x85';
  EXPECT_FALSE(readFile(archive(many + ".")).done);
  expectRefused(readFile(archive(std::string((16 << 20) + 1, 'N'))),
                Status::Limit, "expected at most 16777216 bytes");
  // Many tensors may name one shape, and one storage by a long key.
  std::vector<int64_t> shape(64, 1);
  std::string key(1 << 20, 'k');
  std::string shared = tensor(storage("FloatStorage", key, 6), 0, shape, shape);
  many = head + "(" + text("a") + shared + std::string("q\1", 2);
  for (int i = 0; i < 20'000; ++i)
    many += text(std::to_string(i)) + "h\1";
  expectRefused(readFile(archive(many + "u.")), Status::Limit,
                "1000000 values");
  std::vector<int64_t> ranks(65, 1);
  expectRefused(readFile(archive(pickle(tensor(floats, 0, ranks, ranks)))),
                Status::Limit, "at most 64 numbers");
}

TEST(PytorchFile, FilesThatAreNoArchive) {
  std::string good = archive(pickle(tensor(floats, 0, {6}, {1})));
  ASSERT_TRUE(readFile(good).done);
  expectRefused(readFile(""), Status::Unsupported, "the zip form");
  expectRefused(readFile("\x80\x02\x8a\x0al\xfc\x9c"), Status::Unsupported,
                "before 1.6");
  expectRefused(readFile("\x93NUMPY"), Status::Unsupported, "the zip form");
  for (size_t size = 4; size < good.size(); size += 13)
    expectRefused(readFile(good.substr(0, size)), Status::InvalidModel,
                  "the file may be incomplete");
  auto with = [](Archive base) {
    return base.add("m/data.pkl", pickle(tensor(floats, 0, {6}, {1})))
        .add("m/data/0", std::string(24, '\1'))
        .whole();
  };
  expectRefused(readFile(with({.method = 8})), Status::Unsupported,
                "is compressed");
  expectRefused(readFile(with({.flags = 1})), Status::Unsupported,
                "is encrypted");
  expectRefused(readFile(Archive().add("x/version", "3").whole()),
                Status::Unsupported, "an entry data.pkl");
  expectRefused(
      readFile(Archive().add("a/data.pkl", "").add("b/data.pkl", "").whole()),
      Status::InvalidModel, "expected one data.pkl");
  expectRefused(readFile(Archive().add("a/v", "").add("a/v", "").whole()),
                Status::InvalidModel, "the archive has it twice");
  expectRefused(
      readFile(
          Archive().add("a/data.pkl", "").add("a/byteorder", "big").whole()),
      Status::Unsupported, "expected little");
  Archive twice;
  twice.add("a/v", "1").add("b/v", "2");
  // Both records lead to the first header, whose name only one has.
  size_t second = twice.directory.find("b/v");
  twice.directory.replace(second - 4, 4, word(0, 4));
  expectRefused(readFile(twice.whole()), Status::InvalidModel, "another name");
}

/// Ranges of tensors that were read lie in the file; all else was refused.
void tryBytes(const std::string &bytes, int &done, int &refused) {
  Result result = readFile(bytes);
  (result.done ? done : refused) += 1;
  EXPECT_TRUE(result.done || result.status() != Status::Success);
  EXPECT_NE(int(result.status()), int(Status::Internal)) << result.text();
  for (const StoredTensor &tensor : result.tensors) {
    EXPECT_LE(tensor.offset, bytes.size());
    EXPECT_LE(tensor.length, bytes.size() - tensor.offset);
    EXPECT_GE(tensor.numElements(), 0);
  }
}

TEST(PytorchFile, DamagedBytes) {
  std::string good =
      head + "(" + text("a") + tensor(floats, 0, {2, 3}, {3, 1}) + text("p") +
      name("torch._utils", "_rebuild_parameter") + "(" +
      tensor(floats, 0, {6}, {1}) + "\x88" + std::string("h\0)R", 4) + "tR" +
      "u}" + text("_metadata") + "}sb.";
  const std::string codes("\x80.(t)\x85\x86\x87}subqrhjcQRXN\x88\x89KMJ\x8a"
                          "io\x81\x93]\x95");
  std::mt19937 random(1);
  int done = 0, refused = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string damaged = good;
    for (size_t count = 1 + random() % 3; count > 0; --count) {
      size_t at = random() % damaged.size();
      switch (random() % 4) {
      case 0:
        damaged[at] ^= 1 << random() % 8;
        break;
      case 1:
        damaged[at] = codes[random() % codes.size()];
        break;
      case 2:
        damaged.erase(at, 1 + random() % 12);
        break;
      default:
        damaged.insert(at, good.substr(random() % good.size(), random() % 20));
      }
      if (damaged.empty())
        damaged = ".";
    }
    tryBytes(archive(damaged), done, refused);
  }
  std::string plain = archive(good);
  std::string in64Bits = Archive{.in64Bits = true}
                             .add("m/data.pkl", good)
                             .add("m/data/0", std::string(24, '\1'))
                             .whole();
  ASSERT_TRUE(readFile(plain).done && readFile(in64Bits).done);
  for (int i = 0; i < 6000; ++i) {
    std::string damaged = i % 2 ? plain : in64Bits;
    for (size_t count = 1 + random() % 3; count > 0; --count)
      damaged[random() % damaged.size()] ^=
          random() % 2 ? 0xff : 1 << random() % 8;
    tryBytes(damaged, done, refused);
  }
  EXPECT_GT(refused, 8000);
  EXPECT_GT(done, 100);
}

} // namespace
} // namespace tenon::test
