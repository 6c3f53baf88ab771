// Values are read by the type of the input that they are for.
#include "tools/tenon/generate/OptionValue.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <cstring>

namespace tenon::cli {

/// Numbers that stand for words in the model's tables.
static std::optional<int64_t> wordValue(llvm::StringRef text,
                                        llvm::StringRef option) {
  if (text == "false" || text == "true")
    return text == "true";
  if (option == "early_stopping" && text == "never")
    return 2;
  return std::nullopt;
}

template <typename T> static void append(Tensor &value, T element) {
  size_t at = value.bytes.size();
  value.bytes.resize(at + sizeof element);
  std::memcpy(value.bytes.data() + at, &element, sizeof element);
}

static const char *appendElement(llvm::StringRef text,
                                 const tenon_tensor_desc &desc, Tensor &value) {
  text = text.trim();
  if (desc.dtype == TENON_F32) {
    double number;
    if (text.getAsDouble(number))
      return "a number";
    append(value, static_cast<float>(number));
    return nullptr;
  }
  int64_t number;
  if (std::optional<int64_t> word = wordValue(text, desc.name))
    number = *word;
  else if (text.getAsInteger(10, number))
    return desc.dtype == TENON_BOOL ? "true or false" : "an integer of 64 bits";
  if (desc.dtype == TENON_BOOL) {
    if (number != 0 && number != 1)
      return "true or false";
    append(value, static_cast<uint8_t>(number));
  } else {
    append(value, number);
  }
  return nullptr;
}

static const char *appendList(llvm::StringRef text, size_t least,
                              const tenon_tensor_desc &desc, Tensor &value) {
  llvm::SmallVector<llvm::StringRef> words;
  if (!text.trim().empty())
    text.split(words, ',');
  for (size_t i = words.size(); i < least; ++i)
    append(value, int64_t(-1));
  for (llvm::StringRef word : words)
    if (const char *expected = appendElement(word, desc, value))
      return expected;
  return nullptr;
}

std::string parseOptionValue(llvm::StringRef text,
                             const tenon_tensor_desc &desc, Tensor &value) {
  value = {};
  value.name = desc.name;
  value.dtype = desc.dtype;
  const char *expected = nullptr;
  if (desc.rank == 0) {
    expected = appendElement(text, desc, value);
    return expected ? expected : "";
  }
  if (desc.rank == 1) {
    expected = appendList(text, 0, desc, value);
    value.dims = {static_cast<int64_t>(value.bytes.size() /
                                       tenon_dtype_bytes(desc.dtype))};
    return expected ? std::string(expected) + " or several with commas" : "";
  }
  if (desc.rank != 2 || desc.dtype != TENON_I64)
    return "an option that is no list of tensors";
  llvm::SmallVector<llvm::StringRef> lists;
  if (!text.trim().empty())
    text.split(lists, ';');
  size_t longest = 1;
  for (llvm::StringRef list : lists)
    longest = std::max<size_t>(longest, list.count(',') + 1);
  for (llvm::StringRef list : lists)
    if (!expected)
      expected = appendList(list, longest, desc, value);
  value.dims = {static_cast<int64_t>(lists.size()),
                static_cast<int64_t>(longest)};
  return expected ? "lists of integers such as 1,2;3" : "";
}

} // namespace tenon::cli
