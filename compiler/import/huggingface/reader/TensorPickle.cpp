// The instructions work on a stack. Values never change, except dictionaries,
// which grow; they refer to one another by number, so that no depth of nesting
// matters.
#include "compiler/import/huggingface/reader/TensorPickle.h"

#include "compiler/files/ReadFailure.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <set>
#include <unordered_map>

namespace tenon::hf {
namespace {

/// Also of those on the stack, of those kept, and of all extents.
constexpr size_t maxValues = 1'000'000;
constexpr size_t maxRank = 64;

struct StorageName {
  std::string_view name;
  const char *dtype;
  unsigned bytes;
};
constexpr StorageName storages[] = {
    {"torch.FloatStorage", "F32", 4},     {"torch.HalfStorage", "F16", 2},
    {"torch.BFloat16Storage", "BF16", 2}, {"torch.DoubleStorage", "F64", 8},
    {"torch.LongStorage", "I64", 8},      {"torch.IntStorage", "I32", 4},
    {"torch.ShortStorage", "I16", 2},     {"torch.CharStorage", "I8", 1},
    {"torch.ByteStorage", "U8", 1},       {"torch.BoolStorage", "BOOL", 1}};

constexpr std::string_view orderedDict = "collections.OrderedDict";
constexpr std::string_view rebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuildParameter = "torch._utils._rebuild_parameter";

const StorageName *findStorage(std::string_view name) {
  auto found =
      std::find_if(std::begin(storages), std::end(storages),
                   [&](const StorageName &one) { return one.name == name; });
  return found == std::end(storages) ? nullptr : &*found;
}

/// The known name that is equal to `name`; else empty.
std::string_view knownName(std::string_view name) {
  for (std::string_view known : {orderedDict, rebuildTensor, rebuildParameter})
    if (name == known)
      return known;
  const StorageName *storage = findStorage(name);
  return storage ? storage->name : std::string_view();
}

using Number = uint32_t; ///< of a value

enum class Kind : uint8_t {
  None,
  Boolean,
  Integer,
  Text,
  Tuple,
  Dictionary, ///< items are keys and values in turn
  Name,       ///< of a function or a class
  Storage,    ///< items are those of the tuple that describes it
  Tensor      ///< items are the arguments it was made with
};
constexpr const char *kindNames[] = {"None",   "a truth value", "an integer",
                                     "a text", "a tuple",       "a dictionary",
                                     "a name", "a storage",     "a tensor"};

struct Value {
  Kind kind = Kind::None;
  int64_t integer = 0;
  std::string_view text; ///< in the pickle or a constant
  std::vector<Number> items;
};

/// Instructions that other pickles have, for messages.
constexpr std::pair<uint8_t, const char *> otherInstructions[] = {
    {'i', "INST"},
    {'o', "OBJ"},
    {'P', "PERSID"},
    {0x81, "NEWOBJ"},
    {0x92, "NEWOBJ_EX"},
    {0x93, "STACK_GLOBAL"},
    {0x82, "EXT1"},
    {0x83, "EXT2"},
    {0x84, "EXT4"},
    {0x95, "FRAME"},
    {0x94, "MEMOIZE"},
    {']', "EMPTY_LIST"},
    {'B', "BINBYTES"},
    {'G', "BINFLOAT"},
    {'U', "SHORT_BINSTRING"},
    {0x8c, "SHORT_BINUNICODE"}};

class Machine {
public:
  explicit Machine(std::string_view pickle) : pickle(pickle) {}

  std::vector<PickledTensor> run() {
    while (step()) {
    }
    if (at != pickle.size())
      failHere("expected the end of the pickle after STOP");
    if (!marks.empty() || stack.size() != 1)
      failHere("expected one value at the end, got " +
               std::to_string(stack.size()));
    const Value &whole = values[stack[0]];
    if (whole.kind != Kind::Dictionary)
      failHere("expected a dictionary of tensors, got " + describe(whole),
               Status::Unsupported);
    return tensorsOf(whole);
  }

private:
  [[noreturn]] void failHere(std::string text,
                             Status status = Status::InvalidModel) const {
    fail("pickle offset " + std::to_string(begin), std::move(text), status);
  }

  static std::string describe(const Value &value) {
    std::string text = kindNames[size_t(value.kind)];
    if (value.kind == Kind::Name || value.kind == Kind::Text)
      text += " " + quoted(value.text);
    return text;
  }

  std::string_view take(size_t bytes) {
    if (bytes > pickle.size() - at)
      failHere("expected " + std::to_string(bytes) + " bytes, got " +
               std::to_string(pickle.size() - at));
    at += bytes;
    return pickle.substr(at - bytes, bytes);
  }

  uint64_t takeNumber(size_t bytes) {
    std::string_view text = take(bytes);
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
      value = value << 8 | uint8_t(text[i]);
    return value;
  }

  std::string_view takeLine() {
    size_t end = pickle.find('\n', at);
    if (end == std::string_view::npos)
      failHere("expected a line, got the end of the pickle");
    std::string_view line = pickle.substr(at, end - at);
    at = end + 1;
    return line;
  }

  void checkCount(size_t count) const {
    if (count >= maxValues)
      failHere("expected at most " + std::to_string(maxValues) + " values",
               Status::Limit);
  }

  void push(Number number) {
    checkCount(stack.size());
    stack.push_back(number);
  }
  void push(Value value) {
    checkCount(values.size());
    values.push_back(std::move(value));
    push(Number(values.size() - 1));
  }
  void pushInteger(int64_t integer) {
    Value value;
    value.kind = Kind::Integer;
    value.integer = integer;
    push(std::move(value));
  }
  void pushItems(Kind kind, std::vector<Number> items) {
    Value value;
    value.kind = kind;
    value.items = std::move(items);
    push(std::move(value));
  }
  void pushText(Kind kind, std::string_view text) {
    Value value;
    value.kind = kind;
    value.text = text;
    push(std::move(value));
  }

  /// The first place of the stack above the last mark.
  size_t floor() const { return marks.empty() ? 0 : marks.back(); }

  Number pop() {
    if (stack.size() == floor())
      failHere("expected a value on the stack");
    Number number = stack.back();
    stack.pop_back();
    return number;
  }

  std::vector<Number> popToMark() {
    if (marks.empty())
      failHere("expected a mark on the stack");
    std::vector<Number> items(stack.begin() + marks.back(), stack.end());
    stack.resize(marks.back());
    marks.pop_back();
    return items;
  }

  void pushTuple(size_t count) {
    std::vector<Number> items(count);
    for (size_t i = count; i-- > 0;)
      items[i] = pop();
    pushItems(Kind::Tuple, std::move(items));
  }

  const Value &item(const Value &value, size_t i, Kind kind,
                    const char *what) const {
    const Value &found = values[value.items[i]];
    if (found.kind != kind)
      failHere(std::string("expected ") + kindNames[size_t(kind)] + " as " +
               what + ", got " + describe(found));
    return found;
  }

  void keep(uint64_t key) {
    if (stack.size() == floor())
      failHere("expected a value on the stack");
    checkCount(memo.size());
    memo[key] = stack.back();
  }
  void fetch(uint64_t key) {
    auto found = memo.find(key);
    if (found == memo.end())
      failHere("nothing was kept as " + std::to_string(key));
    push(found->second);
  }

  void pushName() {
    std::string_view module = takeLine(), member = takeLine();
    std::string name = std::string(module) + "." + std::string(member);
    std::string_view known = knownName(name);
    if (known.empty())
      failHere("the name " + quoted(name) +
                   " has no place in a dictionary of tensors",
               Status::Unsupported);
    pushText(Kind::Name, known);
  }

  /// Describes the storage that a tuple names.
  void pushStorage() {
    const Value &tuple = values[pop()];
    if (tuple.kind != Kind::Tuple || tuple.items.size() != 5)
      failHere("expected a tuple of five values for a storage");
    const Value &tag = item(tuple, 0, Kind::Text, "the kind of a reference");
    const Value &type = item(tuple, 1, Kind::Name, "the type of a storage");
    item(tuple, 2, Kind::Text, "the key of a storage");
    item(tuple, 3, Kind::Text, "the place of a storage");
    const Value &count = item(tuple, 4, Kind::Integer, "the size of a storage");
    if (tag.text != "storage" || !findStorage(type.text) || count.integer < 0)
      failHere("expected the type and the size of a storage");
    pushItems(Kind::Storage, tuple.items);
  }

  /// Stands for the call of a name with arguments.
  void reduce() {
    const Value &arguments = values[pop()];
    const Value &name = values[pop()];
    if (name.kind != Kind::Name || arguments.kind != Kind::Tuple)
      failHere("expected a name and its arguments, got " + describe(name));
    size_t count = arguments.items.size();
    if (name.text == orderedDict && count == 0)
      return pushItems(Kind::Dictionary, {});
    if (name.text == rebuildTensor && count == 6) {
      item(arguments, 0, Kind::Storage, "the elements of a tensor");
      item(arguments, 1, Kind::Integer, "the first element of a tensor");
      item(arguments, 2, Kind::Tuple, "the shape of a tensor");
      item(arguments, 3, Kind::Tuple, "the strides of a tensor");
      checkHooks(arguments, 5);
      return pushItems(Kind::Tensor, arguments.items);
    }
    if (name.text == rebuildParameter && count == 3) {
      const Value &tensor =
          item(arguments, 0, Kind::Tensor, "the value of a parameter");
      checkHooks(arguments, 2);
      return pushItems(Kind::Tensor, tensor.items);
    }
    failHere("expected other arguments for " + quoted(name.text),
             Status::Unsupported);
  }

  void checkHooks(const Value &arguments, size_t place) const {
    if (!item(arguments, place, Kind::Dictionary, "hooks").items.empty())
      failHere("expected no hooks of a tensor", Status::Unsupported);
  }

  void setItems(const std::vector<Number> &items) {
    if (stack.size() == floor())
      failHere("expected a dictionary on the stack");
    Value &target = values[stack.back()];
    if (target.kind != Kind::Dictionary || items.size() % 2 != 0)
      failHere("expected a dictionary and pairs for it, got " +
               describe(target));
    checkCount(target.items.size() + items.size());
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  /// The attributes of a dictionary, such as versions of modules, change none
  /// of its tensors.
  void build() {
    Number state = pop();
    if (stack.size() == floor() ||
        values[stack.back()].kind != Kind::Dictionary ||
        values[state].kind != Kind::Dictionary)
      failHere("expected attributes of a dictionary", Status::Unsupported);
  }

  /// Later protocols have other instructions for the same tensors.
  void checkProtocol(uint64_t version) const {
    if (version != 2)
      throw ReadFailure{
          Status::Unsupported, "pickle offset " + std::to_string(begin),
          "expected protocol 2, got " + std::to_string(version),
          "save the state_dict() of the model as safetensors, or by torch.save "
          "without pickle_protocol"};
  }

  /// One instruction; false after the last.
  bool step() {
    begin = at;
    uint8_t code = takeNumber(1);
    switch (code) {
    case 0x80:
      checkProtocol(takeNumber(1));
      return true;
    case '.':
      return false;
    case '(':
      checkCount(marks.size());
      marks.push_back(stack.size());
      return true;
    case 't':
      pushItems(Kind::Tuple, popToMark());
      return true;
    case ')':
      pushItems(Kind::Tuple, {});
      return true;
    case 0x85:
    case 0x86:
    case 0x87:
      pushTuple(code - 0x84);
      return true;
    case '}':
      pushItems(Kind::Dictionary, {});
      return true;
    case 's': {
      Number value = pop(), key = pop();
      setItems({key, value});
      return true;
    }
    case 'u':
      setItems(popToMark());
      return true;
    case 'b':
      build();
      return true;
    case 'q':
      keep(takeNumber(1));
      return true;
    case 'r':
      keep(takeNumber(4));
      return true;
    case 'h':
      fetch(takeNumber(1));
      return true;
    case 'j':
      fetch(takeNumber(4));
      return true;
    case 'c':
      pushName();
      return true;
    case 'Q':
      pushStorage();
      return true;
    case 'R':
      reduce();
      return true;
    case 'X':
      pushText(Kind::Text, take(takeNumber(4)));
      return true;
    case 'N':
      push(Value());
      return true;
    case 0x88:
    case 0x89: {
      Value value;
      value.kind = Kind::Boolean;
      value.integer = code == 0x88;
      push(std::move(value));
      return true;
    }
    case 'K':
      pushInteger(takeNumber(1));
      return true;
    case 'M':
      pushInteger(takeNumber(2));
      return true;
    case 'J':
      pushInteger(int32_t(takeNumber(4)));
      return true;
    case 0x8a:
      pushLong();
      return true;
    default:
      refuse(code);
    }
  }

  void pushLong() {
    size_t bytes = takeNumber(1);
    if (bytes > 8)
      failHere("expected an integer of at most 64 bits");
    uint64_t value = takeNumber(bytes);
    if (bytes > 0 && bytes < 8 && value >> (8 * bytes - 1))
      value |= ~uint64_t(0) << (8 * bytes);
    pushInteger(int64_t(value));
  }

  [[noreturn]] void refuse(uint8_t code) const {
    char hex[8];
    std::snprintf(hex, sizeof hex, "0x%02x", code);
    std::string name = hex;
    for (auto [other, text] : otherInstructions)
      if (other == code)
        name += std::string(" (") + text + ")";
    failHere("the instruction " + name +
                 " has no place in a dictionary of tensors",
             Status::Unsupported);
  }

  std::vector<int64_t> integersOf(const Value &tuple, const char *what) const {
    if (tuple.items.size() > maxRank)
      failHere("expected at most " + std::to_string(maxRank) + " numbers as " +
                   what,
               Status::Limit);
    std::vector<int64_t> result;
    for (size_t i = 0; i < tuple.items.size(); ++i) {
      result.push_back(item(tuple, i, Kind::Integer, what).integer);
      if (result.back() < 0)
        failHere(std::string("expected numbers from 0 on as ") + what);
    }
    return result;
  }

  std::vector<PickledTensor> tensorsOf(const Value &whole) const {
    std::vector<PickledTensor> tensors;
    std::set<std::string_view> names;
    size_t extents = 0;
    for (size_t i = 0; i < whole.items.size(); i += 2) {
      const Value &name = item(whole, i, Kind::Text, "the name of a tensor");
      const Value &value = values[whole.items[i + 1]];
      if (!names.insert(name.text).second)
        fail("tensor " + quoted(name.text), "the dictionary has it twice");
      if (value.kind != Kind::Tensor)
        fail("tensor " + quoted(name.text),
             "expected a tensor, got " + describe(value), Status::Unsupported);
      const Value &storage = values[value.items[0]];
      const StorageName &type = *findStorage(values[storage.items[1]].text);
      PickledTensor tensor;
      tensor.name = name.text;
      tensor.dtype = type.dtype;
      tensor.bytes = type.bytes;
      tensor.storage = values[storage.items[2]].text;
      tensor.storageElements = values[storage.items[4]].integer;
      tensor.first = values[value.items[1]].integer;
      tensor.dims = integersOf(values[value.items[2]], "a shape");
      tensor.strides = integersOf(values[value.items[3]], "strides");
      // A shape may stand in the pickle once for many tensors.
      checkCount(extents += tensor.dims.size());
      if (tensor.first < 0 || tensor.dims.size() != tensor.strides.size())
        fail("tensor " + quoted(name.text),
             "expected a first element from 0 on, and a stride for each "
             "extent");
      tensors.push_back(std::move(tensor));
    }
    return tensors;
  }

  std::string_view pickle;
  size_t at = 0, begin = 0; ///< of what follows; of the instruction
  std::vector<Value> values;
  std::vector<Number> stack;
  std::vector<size_t> marks; ///< heights of the stack
  std::unordered_map<uint64_t, Number> memo;
};
} // namespace

std::vector<PickledTensor> readTensorPickle(std::string_view pickle) {
  return Machine(pickle).run();
}

} // namespace tenon::hf
