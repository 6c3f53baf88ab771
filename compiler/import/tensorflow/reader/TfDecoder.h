// Converts parsed messages to a Model: checks that names are unique, parses
// operands, and checks payloads against shapes.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFDECODER_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFDECODER_H

#include "compiler/import/tensorflow/reader/TfModel.h"

#include "compiler/import/tensorflow/reader/tensorflow.pb.h"

namespace tenon::tf {

/// Decode messages after the envelope check, which must be those of
/// model.files[0]. Throw ReadFailure.
void decodeGraph(const proto::GraphDef &graph, Model &model);
Signature decodeSignature(const std::string &name,
                          const proto::SignatureDef &signature);
/// Decodes a shape. Throws ReadFailure at `place` for extents below -1.
Shape decodeShape(const proto::Shape &shape, const std::string &place);
/// The type with a number of types.proto. Throws ReadFailure at `place` if
/// there is none.
DataType decodeType(int64_t number, const std::string &place);

/// The product of `dims` and `size`. Throws ReadFailure at `place` for negative
/// extents and products above 63 bits.
uint64_t checkedBytes(const std::vector<int64_t> &dims, uint64_t size,
                      const std::string &place);

/// Parses `a`, `a:1` or `a:out:0`. Throws ReadFailure at `place`.
Edge decodeEdge(const std::string &text, const std::string &place);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFDECODER_H
