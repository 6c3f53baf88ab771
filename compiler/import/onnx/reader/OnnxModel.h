// An ONNX model as checked structures: what readOnnx returns, what the importer
// walks. Names are valid UTF-8 without NUL; every use has one producer that
// stands before it; payload sizes equal shape times element size; every byte
// range lies inside its file. Types and shapes of computed values are not
// checked here.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXMODEL_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXMODEL_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tenon {

class OpenFile;

namespace onnx {

/// Element types, numbered as in TensorProto.DataType.
enum class ElementType : int32_t {
  Undefined = 0,
  F32 = 1,
  U8 = 2,
  I8 = 3,
  U16 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  String = 8,
  Bool = 9,
  F16 = 10,
  F64 = 11,
  U32 = 12,
  U64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BF16 = 16
};

/// The element type that a file's number means; nothing where it is 0 or no
/// number of ours.
std::optional<ElementType> elementTypeNumbered(int64_t number);

/// The types we know, for messages: `from 1 (f32) to 16 (bf16)`.
std::string elementTypeNumbers();

/// The opset that brought a number of TensorProto.DataType beyond ours (f8,
/// 4-bit and 2-bit types); 0 where there is no such type.
int opsetOfLaterType(int64_t number);

/// The bytes of one element; 0 for strings and Undefined.
unsigned elementSize(ElementType type);

/// `f32`, `i64`, `bool`, `string`, ... as our messages spell it.
const char *elementTypeName(ElementType type);

/// Bytes of a file that were checked to exist when it was opened.
struct FileRange {
  uint32_t file = 0; ///< index into Model::files
  uint64_t offset = 0;
  uint64_t length = 0;
};

using InlineBytes = std::vector<std::byte>;
using StringElements = std::vector<std::string>;

/// A constant. The payload is little-endian in native element layout whatever
/// field of the file held it; bool is one byte, 0 or 1; f16 and bf16 are two
/// bytes.
struct Tensor {
  std::string name; ///< may be empty
  ElementType type = ElementType::Undefined;
  std::vector<int64_t> dims; ///< all >= 0; empty: a scalar
  std::variant<InlineBytes, FileRange, StringElements> payload;

  /// The product of dims; it and the byte size are known not to overflow.
  int64_t numElements() const;
  uint64_t numBytes() const { return numElements() * elementSize(type); }
};

/// A sparse constant: values[k] stands at indices[k], all else is zero. Indices
/// are i64, [NNZ] linear or [NNZ, rank], in ascending order and inside dims.
struct SparseTensor {
  Tensor values; ///< [NNZ]; its name is the initializer's
  Tensor indices;
  std::vector<int64_t> dims;
};

struct Dim {
  enum class Kind { Static, Symbolic, Unknown };
  Kind kind = Kind::Unknown;
  int64_t size = -1;  ///< Static
  std::string symbol; ///< Symbolic
};

/// The type of a value.
struct Type {
  enum class Kind { Unknown, Tensor, SparseTensor, Sequence, Optional, Map };
  Kind kind = Kind::Unknown;
  ElementType element =
      ElementType::Undefined;            ///< tensors; the key type of maps
  std::optional<std::vector<Dim>> shape; ///< tensors; absent: rank unknown
  std::shared_ptr<const Type>
      inner; ///< what sequences, optionals and maps hold
};

struct ValueInfo {
  std::string name;
  Type type;
};

struct Graph;

/// Numbered as AttributeProto.AttributeType.
enum class AttributeKind : int {
  Undefined = 0,
  Float = 1,
  Int = 2,
  String = 3,
  Tensor = 4,
  Graph = 5,
  Floats = 6,
  Ints = 7,
  Strings = 8,
  Tensors = 9,
  Graphs = 10,
  SparseTensor = 11,
  SparseTensors = 12,
  Type = 13,
  Types = 14
};

/// `float`, `ints`, `graph`, ... as our messages spell it.
const char *attributeKindName(AttributeKind kind);

/// The value's alternative always agrees with kind; monostate when refName is
/// set.
struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::Undefined;
  std::string refName; ///< in functions: the function's attribute that is meant
  std::variant<std::monostate, float, int64_t, std::string, Tensor,
               std::unique_ptr<Graph>, std::vector<float>, std::vector<int64_t>,
               std::vector<std::string>, std::vector<Tensor>,
               std::vector<std::unique_ptr<Graph>>, SparseTensor,
               std::vector<SparseTensor>, Type, std::vector<Type>>
      value;
};

struct Node {
  std::string opType;
  std::string domain; ///< "" is ONNX's own; `ai.onnx` is read as ""
  std::string name;   ///< for messages; when the file has none, the op and the
                      ///< first output: `MatMul_12`
  uint32_t index = 0; ///< among its graph's nodes
  std::vector<std::string> inputs;  ///< "": absent
  std::vector<std::string> outputs; ///< "": not wanted
  std::map<std::string, Attribute, std::less<>> attributes;

  /// The attribute, or null.
  const Attribute *find(std::string_view attribute) const;
  /// The value of `attribute` when present and of type T, else null:
  /// `node.get<int64_t>("axis")`.
  template <typename T> const T *get(std::string_view attribute) const {
    const Attribute *found = find(attribute);
    return found ? std::get_if<T>(&found->value) : nullptr;
  }
  /// The subgraph `attribute` (`then_branch`, `body`), or null.
  const Graph *graph(std::string_view attribute) const;
};

/// A graph or subgraph. Nodes are in topological order. Subgraphs may use names
/// of the graphs around them.
struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<SparseTensor> sparseInitializers;
  std::vector<ValueInfo>
      inputs; ///< may include initializers: those are defaults
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> valueInfo;
};

/// A model-local function. Calls are not inlined; there is no recursion among
/// functions.
struct Function {
  std::string name;
  std::string domain;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> attributes;
  std::map<std::string, int64_t> opsets; ///< domain to version
  std::vector<Node> nodes;
};

/// A file payloads lie in, held open: reading it reads what was checked,
/// whatever has become of its name.
struct DataFile {
  std::string path; ///< as opened: joined to the model's folder
  std::shared_ptr<const OpenFile> file;
};

struct Model {
  int64_t irVersion = 0;
  std::map<std::string, int64_t> opsets; ///< domain to version
  std::string producer;                  ///< name and version, for display
  std::string graphDomain;
  std::vector<Function> functions;
  Graph graph;
  std::string path; ///< as the user named it; empty when from memory
  std::string
      directory; ///< the folder of the model; may be empty when from memory
  std::vector<DataFile> files; ///< [0] is the model file when read from a path

  const Function *findFunction(std::string_view domain,
                               std::string_view name) const;
  /// Copies `size` bytes at `offset` of the tensor's payload; false when the
  /// file can no longer be read. Not for strings.
  bool read(const Tensor &tensor, uint64_t offset, void *into,
            uint64_t size) const;
  /// The whole payload, copied; nothing when the file can no longer be read.
  /// Not for strings.
  std::optional<InlineBytes> bytes(const Tensor &tensor) const;
};

/// `node "/encoder/qk" (MatMul)`: the place of a diagnostic.
std::string placeOf(const Node &node);

} // namespace onnx
} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXMODEL_H
