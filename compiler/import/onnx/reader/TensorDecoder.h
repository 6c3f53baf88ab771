// Converts a TensorProto to a Tensor. Refuses a tensor whose shape, type and
// payload do not agree.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_TENSORDECODER_H
#define TENON_COMPILER_IMPORT_ONNX_READER_TENSORDECODER_H

#include "compiler/import/onnx/reader/ExternalData.h"
#include "compiler/import/onnx/reader/OnnxModel.h"
#include "compiler/wire/Envelope.h"

#include <onnx/onnx_pb.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tenon::onnx {

class TensorDecoder {
public:
  /// Payload records refer to `file`. If `mayRefer`, `file` is model.files[0],
  /// and large payloads stay there.
  TensorDecoder(std::span<const std::byte> file, bool mayRefer, Model &model,
                ExternalData &external)
      : file(file), mayRefer(mayRefer), model(model), external(external) {}

  /// Decodes `proto`, which must have passed the envelope check: it has payload
  /// records in place of payloads. Throws ReadFailure at `place`.
  Tensor decode(const ::onnx::TensorProto &proto, const std::string &place);
  SparseTensor decode(const ::onnx::SparseTensorProto &proto,
                      const std::string &place);

private:
  struct Payload;

  void decodeTyped(Tensor &tensor, const Payload &payload,
                   const std::string &place);
  void decodeStrings(Tensor &tensor, const Payload &payload);
  void decodeExternal(Tensor &tensor, const ::onnx::TensorProto &proto,
                      const Payload &payload, const std::string &place);
  /// Makes `range` the tensor's payload: a reference to the file if it is
  /// large, else a copy.
  void adopt(Tensor &tensor, const FileRange &range, const std::string &place);
  void checkSparse(const SparseTensor &tensor, const std::string &place);

  std::span<const std::byte> file;
  bool mayRefer;
  Model &model;
  ExternalData &external;
  uint64_t expanded = 0; ///< bytes of payloads decoded from varints
};

/// The checked element type. Throws ReadFailure, with status Unsupported for
/// types of later ONNX versions.
ElementType elementTypeOf(int64_t dataType, const std::string &place);

/// The product of `dims` and `size`. Throws ReadFailure if a dim is negative or
/// a product exceeds 63 bits.
uint64_t checkedBytes(const std::vector<int64_t> &dims, uint64_t size,
                      const std::string &place);

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_TENSORDECODER_H
