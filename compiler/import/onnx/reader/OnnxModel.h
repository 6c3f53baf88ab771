// An ONNX model as checked structures, which readOnnx returns and the importer
// reads. Names are valid UTF-8 without NUL. Every used name has one producer
// before its use. The size of a payload equals shape times element size. Every
// byte range is within its file. Types and shapes of computed values are not
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

/// The element type with a number of the file; null if the number is 0 or not
/// supported.
std::optional<ElementType> elementTypeNumbered(int64_t number);

/// The numbers of the supported types, for messages: `from 1 (f32) to 16
/// (bf16)`.
std::string elementTypeNumbers();

/// The opset that introduced a number of TensorProto.DataType that is not
/// supported (f8, 4-bit and 2-bit types); 0 if there is no such type.
int opsetOfLaterType(int64_t number);

/// The bytes of one element; 0 for strings and Undefined.
unsigned elementSize(ElementType type);

/// The name of a type in messages: `f32`, `i64`, `bool`, `string` and so on.
const char *elementTypeName(ElementType type);

/// A range of a file's bytes, checked when the file was opened.
struct FileRange {
  uint32_t file = 0; ///< index into Model::files
  uint64_t offset = 0;
  uint64_t length = 0;
};

using InlineBytes = std::vector<std::byte>;
using StringElements = std::vector<std::string>;

/// A constant. The payload is little-endian with the native size of each
/// element, whichever field of the file had it. A bool is one byte, 0 or 1; f16
/// and bf16 are two bytes.
struct Tensor {
  std::string name; ///< may be empty
  ElementType type = ElementType::Undefined;
  std::vector<int64_t> dims; ///< all >= 0; empty: a scalar
  std::variant<InlineBytes, FileRange, StringElements> payload;

  /// The product of dims. This and the byte size are known not to overflow.
  int64_t numElements() const;
  uint64_t numBytes() const { return numElements() * elementSize(type); }
};

/// A sparse constant: values[k] is at indices[k], all other elements are zero.
/// Indices are i64, either linear ([NNZ]) or vectors ([NNZ, rank]), ascending
/// and within dims.
struct SparseTensor {
  Tensor values; ///< [NNZ]; its name is the initializer's name
  Tensor indices;
  std::vector<int64_t> dims;
};

struct Dim {
  enum class Kind { Static, Symbolic, Unknown };
  Kind kind = Kind::Unknown;
  int64_t size = -1;  ///< if Static
  std::string symbol; ///< if Symbolic
};

/// The type of a value.
struct Type {
  enum class Kind { Unknown, Tensor, SparseTensor, Sequence, Optional, Map };
  Kind kind = Kind::Unknown;
  ElementType element =
      ElementType::Undefined;            ///< of tensors; the key type of maps
  std::optional<std::vector<Dim>> shape; ///< tensors; absent: rank unknown
  std::shared_ptr<const Type>
      inner; ///< element type of sequences, optionals and maps
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

/// The name of a kind in messages: `float`, `ints`, `graph` and so on.
const char *attributeKindName(AttributeKind kind);

/// The alternative of `value` agrees with `kind`; it is monostate if refName is
/// set.
struct Attribute {
  std::string name;
  AttributeKind kind = AttributeKind::Undefined;
  std::string refName; ///< in functions: the attribute of the function that
                       ///< this one refers to
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
  std::string name; ///< for messages; without a name in the file the op and the
                    ///< first output, `MatMul_12`
  uint32_t index = 0;               ///< position among its graph's nodes
  std::vector<std::string> inputs;  ///< "" if absent
  std::vector<std::string> outputs; ///< "" if unused
  std::map<std::string, Attribute, std::less<>> attributes;

  /// The attribute, or null if absent.
  const Attribute *find(std::string_view attribute) const;
  /// The value of `attribute` if it is present and of type T, else null:
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
      inputs; ///< may include initializers, which are their default values
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> valueInfo;
};

/// A model-local function. Calls are not inlined, and functions do not call
/// themselves.
struct Function {
  std::string name;
  std::string domain;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> attributes;
  std::map<std::string, int64_t> opsets; ///< domain to version
  std::vector<Node> nodes;
};

/// An open file with payloads. Because it stays open, later reads see the file
/// that was checked, even if its name refers to another one by then.
struct DataFile {
  std::string path; ///< joined with the model's folder
  std::shared_ptr<const OpenFile> file;
};

struct Model {
  int64_t irVersion = 0;
  std::map<std::string, int64_t> opsets; ///< domain to version
  std::string producer;                  ///< name and version, for messages
  std::string graphDomain;
  std::vector<Function> functions;
  Graph graph;
  std::string path; ///< as the user gave it; empty for a model in memory
  std::string
      directory; ///< the model's folder; may be empty for a model in memory
  std::vector<DataFile> files; ///< [0]: the model file, if read from a path

  const Function *findFunction(std::string_view domain,
                               std::string_view name) const;
  /// Copies `size` bytes from `offset` of the tensor's payload to `into`. False
  /// if the file can no longer be read. Not for strings.
  bool read(const Tensor &tensor, uint64_t offset, void *into,
            uint64_t size) const;
  /// A copy of the whole payload; null if the file can no longer be read. Not
  /// for strings.
  std::optional<InlineBytes> bytes(const Tensor &tensor) const;
};

/// The place of a node in diagnostics: `node "/encoder/qk" (MatMul)`.
std::string placeOf(const Node &node);

} // namespace onnx
} // namespace tenon

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXMODEL_H
