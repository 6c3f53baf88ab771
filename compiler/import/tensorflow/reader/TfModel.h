// A TensorFlow graph as checked structures, which readTensorFlow returns and
// the importer reads. Names are valid UTF-8 without NUL and unique within their
// graph. The size of a payload equals shape times element size. The importer
// checks the nodes, edges and meanings of what is reachable from an entry.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFMODEL_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFMODEL_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace tenon {
class OpenFile;
}

namespace tenon::tf {

class TensorBundle;

/// Element types, numbered as in types.proto.
enum class DataType : int32_t {
  Invalid = 0,
  F32 = 1,
  F64 = 2,
  I32 = 3,
  U8 = 4,
  I16 = 5,
  I8 = 6,
  String = 7,
  C64 = 8,
  I64 = 9,
  Bool = 10,
  BF16 = 14,
  U16 = 17,
  C128 = 18,
  F16 = 19,
  Resource = 20,
  Variant = 21,
  U32 = 22,
  U64 = 23
};

/// The bytes of one element; 0 for types that are not plain numbers.
unsigned elementSize(DataType type);
/// The type of a complex number's parts; other types are returned unchanged.
DataType realType(DataType type);
/// The name of a type in messages: `f32`, `i64`, `bool`, `string` and so on.
std::string dataTypeName(DataType type);

struct Shape {
  bool hasRank = true;
  std::vector<int64_t> dims; ///< -1: dynamic
};

/// A range of a file's bytes.
struct FileRange {
  uint32_t file = 0; ///< index into Model::files
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// A constant, little-endian with the native size of each element.
struct Tensor {
  DataType type = DataType::Invalid;
  std::vector<int64_t> dims; ///< all >= 0
  std::variant<std::vector<std::byte>, FileRange, std::vector<std::string>>
      payload;

  /// The product of dims. This and the byte size are known not to overflow.
  int64_t numElements() const;
};

struct List {
  std::vector<std::string> strings;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<bool> bools;
  std::vector<DataType> types;
  std::vector<Shape> shapes;
};

struct FunctionName {
  std::string name;
};

using Attr = std::variant<std::monostate, std::string, int64_t, float, bool,
                          DataType, Shape, Tensor, FunctionName, List>;

/// The source of an operand: result `index` of `node`. In functions, tensor
/// `index` of the output `output` of the node, or an argument with the name
/// `node`.
struct Edge {
  std::string node;
  std::string output;
  int64_t index = 0;
};

struct Node {
  std::string name;
  std::string op;
  std::vector<Edge> inputs;
  std::vector<std::string> controls;
  std::map<std::string, Attr, std::less<>> attrs;

  const Attr *find(std::string_view attr) const;
};

/// The name of a node in messages: `node "x" (MatMul)`.
std::string placeOf(const Node &node);

/// Nodes, with a lookup by name.
struct Body {
  std::vector<Node> nodes;
  std::unordered_map<std::string, size_t> byName;

  const Node *find(const std::string &name) const;
};

struct Argument {
  std::string name;
  DataType type = DataType::Invalid;
};

struct Function {
  std::string name;
  std::vector<Argument> inputs, outputs;
  Body body;
  std::map<std::string, Edge> results; ///< by the names of the outputs
};

/// An input or output of a signature.
struct Port {
  std::string name;
  std::string tensor; ///< `node:0`
  DataType type = DataType::Invalid;
  Shape shape;
};

struct Signature {
  std::vector<Port> inputs, outputs; ///< ordered by name
};

/// A variant of a function in the object graph, traced for certain arguments.
struct ConcreteFunction {
  std::vector<Port> inputs;         ///< the tensors of its arguments, in order
  std::vector<std::string> outputs; ///< names of the results, in order
  /// The objects passed behind the inputs, by number.
  std::vector<int64_t> captures;
  std::string arguments;    ///< for messages: `x: f32[?,3], training: true`
  bool hasTrueFlag = false; ///< true if an argument is the constant true
  bool isComplete = true;   ///< the names of its tensors are known
};

/// A Python object of the model, with named members.
struct Object {
  std::map<std::string, int64_t> members; ///< member name to object number
  std::vector<std::string> functions;     ///< names of concrete functions
  std::string constant;    ///< the node of the main graph, for a constant
  std::string variableKey; ///< the key in the checkpoint, for a variable
};

struct ModelFile {
  std::string path;
  std::shared_ptr<OpenFile> file;
};

struct Model {
  std::string path;    ///< as the user gave it
  std::string version; ///< version of the TensorFlow that wrote it
  std::vector<ModelFile> files;
  bool isSavedModel = false;
  Body graph;
  std::map<std::string, Function> functions;
  std::map<std::string, Signature> signatures;
  std::shared_ptr<TensorBundle> bundle; ///< null if no variables were saved
  std::map<std::string, std::string> variableKeys; ///< node to key of bundle
  std::vector<Object> objects; ///< the first is the model itself
  std::map<std::string, ConcreteFunction> concreteFunctions;

  /// The object at a path of members from the model on, such as
  /// `encoder.layers.0`; null if there is none.
  const Object *findObject(const std::string &path) const;
  /// The paths of at most `most` objects that are functions.
  std::vector<std::string> functionPaths(size_t most) const;

  /// A copy of a constant's bytes; null if they can no longer be read.
  std::optional<std::vector<std::byte>> bytes(const Tensor &tensor) const;
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFMODEL_H
