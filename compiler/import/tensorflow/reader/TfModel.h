// A TensorFlow graph as checked structures: what readTensorFlow returns, what
// the importer walks. Names are valid UTF-8 without NUL and unique within their
// graph; payload sizes equal shape times element size. Which nodes exist, what
// they are connected to and what they mean is the importer's to check, for
// those that an entry reaches.
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

/// The bytes of one element; 0 for those that are no plain numbers.
unsigned elementSize(DataType type);
/// The type of the parts of complex numbers; other types as they are.
DataType realType(DataType type);
/// `f32`, `i64`, `bool`, `string`, ... as our messages spell it.
std::string dataTypeName(DataType type);

struct Shape {
  bool hasRank = true;
  std::vector<int64_t> dims; ///< -1: not known
};

/// Bytes of a file.
struct FileRange {
  uint32_t file = 0; ///< index into Model::files
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// A constant, little-endian in native element layout.
struct Tensor {
  DataType type = DataType::Invalid;
  std::vector<int64_t> dims; ///< all >= 0
  std::variant<std::vector<std::byte>, FileRange, std::vector<std::string>>
      payload;

  /// The product of dims; it and the byte size are known not to overflow.
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

/// The value that an operand names: result `index` of `node`. In functions
/// `output` may be named, and `index` counts in that output of the node; `node`
/// may also be an argument.
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

/// `node "x" (MatMul)`, as our messages name it.
std::string placeOf(const Node &node);

/// Nodes by name.
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
  std::map<std::string, Edge> results; ///< by the outputs' names
};

/// An input or output of a signature.
struct Port {
  std::string name;
  std::string tensor; ///< `node:0`
  DataType type = DataType::Invalid;
  Shape shape;
};

struct Signature {
  std::vector<Port> inputs, outputs; ///< in the order of their names
};

/// A variant of a function of the object graph, traced for certain arguments.
struct ConcreteFunction {
  std::vector<Port> inputs; ///< the tensors of its arguments, in their order
  std::vector<std::string> outputs; ///< names, in the order of the results
  /// The arguments after the inputs: numbers of objects.
  std::vector<int64_t> captures;
  std::string arguments; ///< spelled, for people: `x: f32[?,3], training: true`
  bool hasTrueFlag = false; ///< one of the arguments is the constant true
  bool isComplete = true;   ///< its arguments and results can be told apart
};

/// What Python saw of the model: objects with named members.
struct Object {
  std::map<std::string, int64_t> members; ///< numbers of objects, by name
  std::vector<std::string> functions;     ///< names of concrete functions
  std::string constant;    ///< the node of the main graph that it is
  std::string variableKey; ///< the checkpoint's, of a variable
};

struct ModelFile {
  std::string path;
  std::shared_ptr<OpenFile> file;
};

struct Model {
  std::string path;    ///< as the user named it
  std::string version; ///< of the TensorFlow that wrote it
  std::vector<ModelFile> files;
  bool isSavedModel = false;
  Body graph;
  std::map<std::string, Function> functions;
  std::map<std::string, Signature> signatures;
  std::shared_ptr<TensorBundle> bundle; ///< null: no variables were saved
  std::map<std::string, std::string> variableKeys; ///< node to key of bundle
  std::vector<Object> objects; ///< the first is the model itself
  std::map<std::string, ConcreteFunction> concreteFunctions;

  /// The object that a path of members such as `encoder.layers.0` names from
  /// the model on; null where there is none.
  const Object *findObject(const std::string &path) const;
  /// Paths of the objects that are functions, at most `most` of them.
  std::vector<std::string> functionPaths(size_t most) const;

  /// A copy of a constant's bytes; nothing when they can no longer be read.
  std::optional<std::vector<std::byte>> bytes(const Tensor &tensor) const;
};

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFMODEL_H
