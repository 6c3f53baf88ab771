// Tests the readers of JSON texts and of safetensors headers on valid and
// hostile bytes.
#include "test/huggingface/CheckpointFolder.h"

#include <cmath>
#include <thread>

namespace tenon::test {
namespace {

using namespace hf;

Outcome parse(const std::string &text, const JsonLimits &limits = {}) {
  return outcomeOf([&] { parseJson(text, limits); });
}

/// What reading `bytes` as a safetensors file of `fileBytes` bytes gives.
Outcome readBytes(const std::string &bytes, uint64_t fileBytes = 0) {
  return outcomeOf([&] {
    parseSafetensors(std::as_bytes(std::span(bytes)),
                     fileBytes ? fileBytes : bytes.size());
  });
}

Outcome readHeader(const std::string &header, size_t dataBytes) {
  return readBytes(safetensors(header, dataBytes));
}

std::string entry(const std::string &name, const std::string &shape,
                  const std::string &range,
                  const std::string &dtype = "\"F32\"") {
  return "\"" + name + "\":{\"dtype\":" + dtype + ",\"shape\":" + shape +
         ",\"data_offsets\":" + range + "}";
}

TEST(Json, ValuesKeepTheirKinds) {
  Json json = parseJson(R"( {"a":[1,-2,1.5,1e3,true,null,"x\u00e9"],"b":{}} )");
  const auto &list = *json.find("a")->get<JsonArray>();
  EXPECT_EQ(*list[0].get<int64_t>(), 1);
  EXPECT_EQ(*list[1].get<int64_t>(), -2);
  EXPECT_EQ(*list[2].get<double>(), 1.5);
  EXPECT_EQ(*list[3].get<double>(), 1000);
  EXPECT_TRUE(*list[4].get<bool>());
  EXPECT_TRUE(list[5].isNull());
  EXPECT_EQ(*list[6].get<std::string>(), "x\xc3\xa9");
  EXPECT_TRUE(json.find("b")->get<JsonObject>()->empty());
  EXPECT_EQ(json.find("c"), nullptr);
  EXPECT_EQ(*parseJson("9223372036854775807").get<int64_t>(), INT64_MAX);
  EXPECT_EQ(*parseJson("18446744073709551615").get<double>(),
            std::ldexp(1, 64));
}

TEST(Json, BytesThatAreNoJsonHaveAnOffset) {
  for (const char *text :
       {"", "{", "[1,]", "{\"a\":}", "NaN", "[1] x", "\"\xff\"", "1e400", "'a'",
        "{\"a\" 1}", "\"\x01\"", "01"})
    expectRefused(parse(text), Status::InvalidModel, "not JSON");
  expectRefused(parse("[1, x]"), Status::InvalidModel, "offset 4");
}

TEST(Json, KeysThatStandTwiceAreNamed) {
  expectRefused(parse(R"({"a":1,"b":2,"a":3})"), Status::InvalidModel,
                "\"a\": error: the key stands twice in its object");
  expectRefused(parse(R"({"a":{"b":{"c":1,"c":1}}})"), Status::InvalidModel,
                "\"a.b.c\"");
  EXPECT_TRUE(parse(R"([{"a":1},{"a":1}])").done);
}

TEST(Json, DepthIsLimited) {
  auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse(nested(64)).done);
  // A small stack: neither the parser nor its values recurse.
  Outcome outcomes[4];
  std::thread([&] {
    size_t depths[] = {65, 2000, 100'000, 1'000'000};
    for (size_t i = 0; i < 4; ++i)
      outcomes[i] = parse(nested(depths[i]));
  }).join();
  for (const Outcome &outcome : outcomes)
    expectRefused(outcome, Status::Limit, "deeper than 64 levels");
}

TEST(Json, ValuesAreLimited) {
  JsonLimits few{.depth = 2, .values = 3};
  EXPECT_TRUE(parse("[1,2]", few).done);
  expectRefused(parse("[1,2,3]", few), Status::Limit, "at most 3 values");
}

TEST(Safetensors, TensorsHaveTheirBytes) {
  std::string header = "{" + entry("b", "[2,3]", "[8,32]") + "," +
                       entry("a", "[4]", "[0,8]", "\"BF16\"") +
                       R"(,"__metadata__":{"format":"pt"}}  )";
  std::string bytes = safetensors(header, 32);
  std::vector<StoredTensor> tensors =
      parseSafetensors(std::as_bytes(std::span(bytes)), bytes.size());
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].dtype, "BF16");
  EXPECT_EQ(tensors[0].offset, 8 + header.size());
  EXPECT_EQ(tensors[0].length, 8u);
  EXPECT_EQ(tensors[1].dims, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(tensors[1].offset, 16 + header.size());
}

TEST(Safetensors, NothingAndEmptyTensorsAreRead) {
  EXPECT_TRUE(readHeader("{}", 0).done);
  EXPECT_TRUE(readHeader("{" + entry("scalar", "[]", "[0,4]") + "," +
                             entry("none", "[0]", "[4,4]") + "," +
                             entry("wide", "[4611686018427387904,0]", "[0,0]") +
                             "}",
                         4)
                  .done);
}

TEST(Safetensors, ShortFilesAndHeaderLengthsAreNamed) {
  for (size_t size = 0; size < 8; ++size)
    expectRefused(readBytes(std::string(size, '\x01')), Status::InvalidModel,
                  "expected a header length of 8 bytes");
  auto length = [](uint64_t bytes) {
    std::string text;
    for (int i = 0; i < 8; ++i)
      text += char(bytes >> (8 * i));
    return text + "{}";
  };
  expectRefused(readBytes(length(0)), Status::InvalidModel, "begin with '{'");
  expectRefused(readBytes(length(3)), Status::InvalidModel,
                "offset 0: error: the header has 3 bytes, and the file 10");
  for (uint64_t bytes : {uint64_t(100'000'001), UINT64_MAX, uint64_t(1) << 63})
    expectRefused(readBytes(length(bytes)), Status::Limit,
                  "at most 100000000 bytes");
}

TEST(Safetensors, HeadersAreJsonObjects) {
  expectRefused(readHeader("[]", 0), Status::InvalidModel, "begin with '{'");
  expectRefused(readHeader(" {}", 0), Status::InvalidModel, "begin with '{'");
  expectRefused(readHeader("{\"a\xff\":1}", 0), Status::InvalidModel,
                "not JSON");
  expectRefused(readHeader("{\"a\":1", 0), Status::InvalidModel, "not JSON");
  expectRefused(readHeader("{\"a\":1}", 0), Status::InvalidModel,
                "tensor \"a\": error: expected an object, got 1");
  EXPECT_TRUE(readHeader("{}      ", 0).done);
}

TEST(Safetensors, NamesThatStandTwiceAreNamed) {
  expectRefused(readHeader("{" + entry("a", "[1]", "[0,4]") + "," +
                               entry("a", "[1]", "[4,8]") + "}",
                           8),
                Status::InvalidModel, "\"a\": error: the key stands twice");
  expectRefused(readHeader(R"({"a":{"dtype":"F32","dtype":"F16","shape":[],)"
                           R"("data_offsets":[0,4]}})",
                           4),
                Status::InvalidModel, "\"a.dtype\"");
}

TEST(Safetensors, RangesDivideTheFile) {
  std::string all = "{";
  for (int i = 0; i < 10; ++i)
    all += (i ? "," : "") + entry("t" + std::to_string(i), "[4]", "[0,16]");
  expectRefused(readHeader(all + "}", 16), Status::InvalidModel, "overlap");
  expectRefused(readHeader("{" + entry("a", "[1]", "[4,8]") + "}", 8),
                Status::InvalidModel, "a hole stands before its bytes");
  expectRefused(readHeader("{" + entry("a", "[1]", "[8,4]") + "}", 8),
                Status::InvalidModel, "a begin and an end after it");
  expectRefused(readHeader("{" + entry("a", "[3]", "[0,12]") + "}", 8),
                Status::InvalidModel, "its bytes end at 12");
  expectRefused(readHeader("{" + entry("a", "[1]", "[0,4]") + "}", 9),
                Status::InvalidModel, "5 bytes follow the last tensor");
}

TEST(Safetensors, ShapesAndDtypesGiveTheRange) {
  auto one = [](const std::string &shape, const std::string &dtype) {
    return readHeader("{" + entry("a", shape, "[0,16]", dtype) + "}", 16);
  };
  EXPECT_TRUE(one("[2,2]", "\"F32\"").done);
  EXPECT_TRUE(one("[2,8]", "\"F8_E4M3\"").done);
  expectRefused(one("[2,3]", "\"F32\""), Status::InvalidModel,
                "need 24 bytes, its data_offsets hold 16");
  expectRefused(one("[2,9223372036854775807]", "\"F32\""), Status::InvalidModel,
                "more elements than a file can hold");
  expectRefused(one("[2,18446744073709551614]", "\"F32\""),
                Status::InvalidModel, "integers from 0 to 2^63 - 1");
  expectRefused(one("[2,2]", "\"F33\""), Status::InvalidModel,
                "expected a known dtype, got \"F33\"");
  expectRefused(one("[2,2]", "7"), Status::InvalidModel, "got 7");
  expectRefused(one("[3]", "\"F4\""), Status::InvalidModel, "whole bytes");
  expectRefused(one("[21]", "\"F6_E2M3\""), Status::InvalidModel,
                "whole bytes");
}

TEST(Safetensors, ExtentsAreIntegers) {
  for (const char *extent :
       {"-1", "1.5", "1e3", "\"4\"", "null", "[4]", "18446744073709551616"})
    expectRefused(
        readHeader("{" + entry("a", std::string("[") + extent + "]", "[0,4]") +
                       "}",
                   4),
        Status::InvalidModel, "in 'shape', got");
  expectRefused(readHeader("{" + entry("a", "[1e400]", "[0,4]") + "}", 4),
                Status::InvalidModel, "not JSON");
  std::string rank = "[1";
  for (int i = 0; i < 64; ++i)
    rank += ",1";
  expectRefused(readHeader("{" + entry("a", rank + "]", "[0,4]") + "}", 4),
                Status::Limit, "at most 64 numbers");
}

TEST(Safetensors, KeysAreThoseOfTheFormat) {
  expectRefused(readHeader(R"({"a":{"dtype":"F32","shape":[1]}})", 4),
                Status::InvalidModel, "'data_offsets' to be an array");
  expectRefused(readHeader(R"({"a":{"dtype":"F32","shape":[1],"x":1,)"
                           R"("data_offsets":[0,4]}})",
                           4),
                Status::InvalidModel, "got \"x\"");
}

TEST(Safetensors, MetadataIsText) {
  auto metadata = [](const std::string &text) {
    return readHeader("{\"__metadata__\":" + text + "}", 0);
  };
  EXPECT_TRUE(metadata(R"({"format":"pt"})").done);
  expectRefused(metadata(R"({"n":1})"), Status::InvalidModel,
                "expected a text for \"n\", got 1");
  expectRefused(metadata(R"({"n":{"m":"x"}})"), Status::InvalidModel,
                "expected a text");
  expectRefused(metadata("7"), Status::InvalidModel, "expected an object");
  expectRefused(metadata("{\"x\":\"" + std::string(50 << 20, 'x') + "\"}"),
                Status::Limit, "at most 16777216 bytes");
}

TEST_F(CheckpointFolder, EveryPrefixOfAFileIsRefused) {
  std::string bytes = safetensors("{" + entry("a", "[4]", "[0,16]") + "}", 16);
  for (size_t size = 0; size < bytes.size(); ++size) {
    write("cut", bytes.substr(0, size));
    Outcome outcome = outcomeOf(
        [&] { readSafetensors(*OpenFile::open((root / "cut").string())); });
    EXPECT_FALSE(outcome.done) << size;
  }
  write("whole", bytes);
  EXPECT_EQ(readSafetensors(*OpenFile::open((root / "whole").string())).size(),
            1u);
}

} // namespace
} // namespace tenon::test
