// Names, sizes and lookups of the model's structures.
#include "compiler/import/tensorflow/reader/TfModel.h"

#include "compiler/files/OpenFile.h"

#include <set>

namespace tenon::tf {

unsigned elementSize(DataType type) {
  switch (type) {
  case DataType::U8:
  case DataType::I8:
  case DataType::Bool:
    return 1;
  case DataType::I16:
  case DataType::U16:
  case DataType::F16:
  case DataType::BF16:
    return 2;
  case DataType::F32:
  case DataType::I32:
  case DataType::U32:
    return 4;
  case DataType::F64:
  case DataType::I64:
  case DataType::U64:
  case DataType::C64:
    return 8;
  case DataType::C128:
    return 16;
  default:
    return 0;
  }
}

DataType realType(DataType type) {
  return type == DataType::C64    ? DataType::F32
         : type == DataType::C128 ? DataType::F64
                                  : type;
}

std::string dataTypeName(DataType type) {
  static const std::map<DataType, const char *> names = {
      {DataType::Invalid, "no type"}, {DataType::F32, "f32"},
      {DataType::F64, "f64"},         {DataType::I32, "i32"},
      {DataType::U8, "u8"},           {DataType::I16, "i16"},
      {DataType::I8, "i8"},           {DataType::String, "string"},
      {DataType::C64, "c64"},         {DataType::I64, "i64"},
      {DataType::Bool, "bool"},       {DataType::BF16, "bf16"},
      {DataType::U16, "u16"},         {DataType::C128, "c128"},
      {DataType::F16, "f16"},         {DataType::Resource, "resource"},
      {DataType::Variant, "variant"}, {DataType::U32, "u32"},
      {DataType::U64, "u64"}};
  // Variables of TensorFlow 1 have a reference type: 100 plus the type's
  // number.
  constexpr int toReference = 100;
  auto found = names.find(
      int(type) > toReference ? DataType(int(type) - toReference) : type);
  return found == names.end() ? "type " + std::to_string(int(type))
                              : found->second;
}

int64_t Tensor::numElements() const {
  int64_t product = 1;
  for (int64_t dim : dims)
    product *= dim;
  return product;
}

const Attr *Node::find(std::string_view attr) const {
  auto found = attrs.find(attr);
  return found == attrs.end() ? nullptr : &found->second;
}

std::string placeOf(const Node &node) {
  return "node \"" + node.name + "\" (" + node.op + ")";
}

const Node *Body::find(const std::string &name) const {
  auto found = byName.find(name);
  return found == byName.end() ? nullptr : &nodes[found->second];
}

std::optional<std::vector<std::byte>> Model::bytes(const Tensor &tensor) const {
  if (const auto *own = std::get_if<std::vector<std::byte>>(&tensor.payload))
    return *own;
  const auto &range = std::get<FileRange>(tensor.payload);
  std::vector<std::byte> copy(range.length);
  if (!files[range.file].file->read(range.offset, copy.data(), copy.size()))
    return std::nullopt;
  return copy;
}

const Object *Model::findObject(const std::string &path) const {
  if (objects.empty())
    return nullptr;
  const Object *object = &objects[0];
  std::string rest = path;
  while (!rest.empty()) {
    // Member names may contain dots, so take the longest name that matches.
    const Object *next = nullptr;
    size_t taken = 0;
    for (const auto &[name, number] : object->members)
      if (name.size() >= taken && rest.starts_with(name) &&
          (rest.size() == name.size() || rest[name.size()] == '.')) {
        next = &objects[size_t(number)];
        taken = name.size();
      }
    if (!next || taken == 0)
      return nullptr;
    object = next;
    rest = rest.size() == taken ? std::string() : rest.substr(taken + 1);
  }
  return object;
}

std::vector<std::string> Model::functionPaths(size_t most) const {
  // Breadth first, to find the shortest path of each function.
  std::vector<std::string> found;
  std::vector<std::pair<std::string, int64_t>> open = {{"", 0}};
  std::set<int64_t> seen = {0};
  for (size_t at = 0; at < open.size() && !objects.empty(); ++at) {
    auto [path, number] = open[at];
    const Object &object = objects[size_t(number)];
    if (!object.functions.empty() && found.size() < most)
      found.push_back(path);
    for (const auto &[name, member] : object.members)
      if (seen.insert(member).second)
        open.push_back({path.empty() ? name : path + "." + name, member});
  }
  return found;
}

} // namespace tenon::tf
