// Reads literals. A list has the rank of its brackets; the lists at one depth
// have equal lengths.
#include "tools/tenon/Literals.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::cli {

/// The deepest nesting of lists: the highest rank of the runtime's tensors.
static constexpr size_t maxDepth = 64;

std::optional<std::string> parseType(llvm::StringRef text, Tensor &tensor) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  text.split(parts, 'x');
  std::optional<int32_t> dtype = dtypeNamed(parts.back().str());
  if (!dtype)
    return std::nullopt;
  tensor.dtype = *dtype;
  for (llvm::StringRef part : llvm::ArrayRef(parts).drop_back()) {
    int64_t extent = 0;
    if (part.getAsInteger(10, extent) || extent < 0)
      return "'" + part.str() + "' is no extent";
    tensor.dims.push_back(extent);
  }
  return "";
}

/// Sets element `i` from `word`; returns what is wrong, or nothing.
static std::string parseElement(llvm::StringRef word, Tensor &tensor,
                                int64_t i) {
  unsigned bits = 8 * tenon_dtype_bytes(tensor.dtype);
  double real = 0;
  int64_t whole = 0;
  uint64_t natural = 0;
  bool fine = true;
  if (tensor.dtype == TENON_BOOL) {
    fine = word == "true" || word == "false" || word == "0" || word == "1";
    setElementBits(tensor, i, word == "true" || word == "1");
  } else if (isFloat(tensor.dtype)) {
    fine = !word.getAsDouble(real);
    setElement(tensor, i, real);
  } else if (isUnsigned(tensor.dtype)) {
    fine =
        !word.getAsInteger(0, natural) && (bits == 64 || natural >> bits == 0);
    setElementBits(tensor, i, static_cast<int64_t>(natural));
  } else {
    fine = !word.getAsInteger(0, whole) && llvm::isIntN(bits, whole);
    setElementBits(tensor, i, whole);
  }
  if (fine)
    return "";
  return "'" + word.str() + "' is no " + tenon_dtype_name(tensor.dtype);
}

std::string parseElements(llvm::StringRef text, Tensor &tensor) {
  llvm::SmallVector<llvm::StringRef, 16> words;
  llvm::SplitString(text, words, " ,\t\n");
  int64_t count = tensor.getNumElements();
  if (int64_t(words.size()) != count)
    return "expected " + std::to_string(count) + " values, got " +
           std::to_string(words.size());
  for (int64_t i = 0; i < count; ++i)
    if (std::string wrong = parseElement(words[i], tensor, i); !wrong.empty())
      return wrong;
  return "";
}

bool isPlainLiteral(llvm::StringRef text) {
  double number = 0;
  int64_t whole = 0;
  return text.starts_with("[") || text == "true" || text == "false" ||
         !text.getAsDouble(number) || !text.getAsInteger(0, whole);
}

namespace {
/// Reads nested lists: the words in order, and the length of the lists at each
/// depth.
struct Lists {
  llvm::StringRef rest;
  llvm::SmallVector<llvm::StringRef, 16> words;
  std::vector<int64_t> dims;
  std::string wrong;

  bool take(char c) {
    rest = rest.ltrim(" \t\n");
    return rest.consume_front(llvm::StringRef(&c, 1));
  }

  /// Reads a list after its bracket. The first list at a depth sets the length
  /// there.
  bool readList(size_t depth) {
    if (depth == maxDepth)
      return refuse("more than 64 nested lists");
    bool isFirst = dims.size() == depth;
    if (isFirst)
      dims.push_back(-1);
    int64_t length = 0;
    while (!take(']')) {
      if (length > 0 && !take(','))
        return refuse("expected ',' or ']'");
      if (!readItem(depth))
        return false;
      ++length;
    }
    if (dims[depth] < 0)
      dims[depth] = length;
    return dims[depth] == length || refuse("lists of different lengths");
  }

  bool readItem(size_t depth) {
    if (take('['))
      return readList(depth + 1);
    llvm::StringRef word = rest.take_until(
        [](char c) { return c == ',' || c == '[' || c == ']'; });
    rest = rest.drop_front(word.size());
    if (word.trim().empty())
      return refuse("expected a number");
    // A number beside a list, or deeper than an earlier one.
    if (dims.size() != depth + 1 || (!words.empty() && depth != wordDepth))
      return refuse("numbers at different depths");
    wordDepth = depth;
    words.push_back(word.trim());
    return true;
  }

  bool refuse(const char *why) {
    wrong = why;
    return false;
  }

  size_t wordDepth = 0;
};
} // namespace

std::string parsePlainLiteral(llvm::StringRef text, Tensor &tensor) {
  Lists lists{text, {}, {}, ""};
  if (lists.take('[')) {
    if (!lists.readList(0))
      return lists.wrong;
    if (!lists.rest.trim().empty())
      return "expected nothing after the list";
  } else {
    lists.words.push_back(text);
  }
  tensor.dims = lists.dims;
  // Lists beside numbers, as in [1,[2]].
  if (int64_t(lists.words.size()) != tensor.getNumElements())
    return "numbers at different depths";
  tensor.bytes.assign(lists.words.size() * tenon_dtype_bytes(tensor.dtype), 0);
  for (size_t i = 0; i < lists.words.size(); ++i)
    if (std::string wrong = parseElement(lists.words[i], tensor, int64_t(i));
        !wrong.empty())
      return wrong;
  return "";
}

} // namespace tenon::cli
