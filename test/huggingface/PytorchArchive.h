// Files of PyTorch weights, byte by byte: the pickle of a dictionary of tensors
// in a zip archive.
#ifndef TENON_TEST_HUGGINGFACE_PYTORCHARCHIVE_H
#define TENON_TEST_HUGGINGFACE_PYTORCHARCHIVE_H

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::test::pytorch {

inline std::string word(uint64_t value, size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i, value >>= 8)
    text += char(value);
  return text;
}

/// A zip archive in the making. With `in64Bits` all places are in the longer
/// fields.
struct Archive {
  bool in64Bits = false;
  unsigned method = 0, flags = 0;
  std::string bytes = {}, directory = {};
  size_t count = 0;

  Archive &add(const std::string &name, const std::string &data) {
    std::string sizes = word(data.size(), 4) + word(data.size(), 4);
    std::string about = word(flags, 2) + word(method, 2) + word(0, 8);
    size_t header = bytes.size();
    bytes += word(0x04034b50, 4) + word(20, 2) + about + sizes +
             word(name.size(), 2) + word(3, 2) + name + "pad" + data;
    std::string extra;
    std::string place = word(header, 4);
    if (in64Bits) {
      extra = word(7, 2) + word(1, 2) + "x" + word(1, 2) + word(24, 2) +
              word(data.size(), 8) + word(data.size(), 8) + word(header, 8);
      sizes = word(~uint64_t(0), 8);
      place = word(~uint64_t(0), 4);
    }
    directory += word(0x02014b50, 4) + word(20, 2) + word(20, 2) + about +
                 sizes + word(name.size(), 2) + word(extra.size(), 2) +
                 word(0, 10) + place + name + extra;
    ++count;
    return *this;
  }

  std::string whole(const std::string &comment = "") const {
    std::string result = bytes + directory;
    if (in64Bits)
      result += word(0x06064b50, 4) + word(44, 8) + word(0, 12) +
                word(count, 8) + word(count, 8) + word(directory.size(), 8) +
                word(bytes.size(), 8) + word(0x07064b50, 4) + word(0, 4) +
                word(bytes.size() + directory.size(), 8) + word(1, 4);
    uint64_t most = ~uint64_t(0);
    return result + word(0x06054b50, 4) + word(0, 4) +
           word(in64Bits ? most : count, 2) + word(in64Bits ? most : count, 2) +
           word(in64Bits ? most : directory.size(), 4) +
           word(in64Bits ? most : bytes.size(), 4) + word(comment.size(), 2) +
           comment;
  }
};

inline std::string name(const std::string &module, const std::string &member) {
  return "c" + module + "\n" + member + "\n";
}
inline std::string text(const std::string &content) {
  return "X" + word(content.size(), 4) + content;
}
inline std::string integer(int64_t value) {
  return "\x8a\x08" + word(uint64_t(value), 8);
}
inline std::string tuple(const std::vector<int64_t> &values) {
  std::string result = "(";
  for (int64_t value : values)
    result += integer(value);
  return result + "t";
}

inline const std::string head =
    "\x80\x02" + name("collections", "OrderedDict") + std::string("q\x00)R", 4);
inline const std::string hooks = std::string("\x89h\x00)R", 5);

inline std::string storage(const std::string &type, const std::string &key,
                           int64_t elements) {
  return "(" + text("storage") + name("torch", type) + text(key) + text("cpu") +
         integer(elements) + "tQ";
}

inline std::string tensor(const std::string &from, int64_t first,
                          const std::vector<int64_t> &dims,
                          const std::vector<int64_t> &strides) {
  return name("torch._utils", "_rebuild_tensor_v2") + "(" + from +
         integer(first) + tuple(dims) + tuple(strides) + hooks + "tR";
}

inline const std::string floats = storage("FloatStorage", "0", 6);

/// A dictionary with one tensor.
inline std::string pickle(const std::string &value) {
  return head + "(" + text("a") + value + "u.";
}

/// An archive with the storages 0 of 24 bytes and 1 of 8 bytes.
inline std::string archive(const std::string &pickle) {
  return Archive()
      .add("model/data.pkl", pickle)
      .add("model/data/0", std::string(24, '\1'))
      .add("model/data/1", std::string(8, '\2'))
      .add("model/byteorder", "little")
      .add("model/version", "3\n")
      .whole();
}

} // namespace tenon::test::pytorch

#endif // TENON_TEST_HUGGINGFACE_PYTORCHARCHIVE_H
