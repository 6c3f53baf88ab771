// Common checks for refused models, from outside the process: the status, a
// message that names file and fault, no control characters, nothing written,
// and little memory and time.
#ifndef TENON_TEST_PROCESS_BADMODELTEST_H
#define TENON_TEST_PROCESS_BADMODELTEST_H

#include "test/process/CompileTest.h"

namespace tenon::test {

/// The bytes field `number` of a message, encoded.
inline std::string field(uint32_t number, const std::string &bytes) {
  std::string out;
  auto varint = [&](uint64_t n) {
    for (; n >= 0x80; n >>= 7)
      out += char((n & 0x7f) | 0x80);
    out += char(n);
  };
  varint(uint64_t(number) << 3 | 2);
  varint(bytes.size());
  return out + bytes;
}

class BadModelTest : public CompileTest {
protected:
  Ended compile(const std::string &bytes) {
    models.write("bad.onnx", bytes);
    return compileFile();
  }

  Ended compileFile() {
    clear();
    output.write("m.so", "old");
    return runTenon(compiling(shared, "bad.onnx"));
  }

  void expectRefused(const std::string &bytes, int code,
                     const std::string &words) {
    expectRefusal(compile(bytes), code, words);
  }
  void expectRefused(const ::onnx::ModelProto &model, int code,
                     const std::string &words) {
    expectRefused(model.SerializeAsString(), code, words);
  }

  void expectRefusal(const Ended &ended, int code, const std::string &words) {
    EXPECT_EQ(ended.code, code) << words << ": " << ended.err.substr(0, 2000);
    for (const std::string &part : {std::string("bad.onnx"), words})
      EXPECT_NE(ended.err.find(part), std::string::npos)
          << part << ": " << ended.err.substr(0, 2000);
    for (char c : ended.err)
      EXPECT_TRUE(c == '\n' || (unsigned char)c >= ' ') << int(c);
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(differs({{"m.so", "old"}}), "");
    auto bytes = std::filesystem::file_size(models / "bad.onnx");
    EXPECT_LE(ended.peakMegabytes, long(256 + (std::min(bytes, largest) >> 19)))
        << words;
    EXPECT_LE(ended.seconds, 10) << words;
  }

  void expectCompiled(const ::onnx::ModelProto &model) {
    Ended ended = compile(model.SerializeAsString());
    EXPECT_EQ(ended.code, 0) << ended.err.substr(0, 2000);
    EXPECT_LE(ended.seconds, 60);
    EXPECT_LE(ended.peakMegabytes, 2048);
  }

  /// The largest file whose size counts as memory; larger files are not read.
  static constexpr uintmax_t largest = uintmax_t(2) << 30;
};

} // namespace tenon::test

#endif // TENON_TEST_PROCESS_BADMODELTEST_H
