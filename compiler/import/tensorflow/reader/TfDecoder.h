// From parsed messages to Model: names made unique or refused, operands taken
// apart, payloads made to agree with shapes.
#ifndef TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFDECODER_H
#define TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFDECODER_H

#include "compiler/import/tensorflow/reader/TfModel.h"

#include "compiler/import/tensorflow/reader/tensorflow.pb.h"

namespace tenon::tf {

/// Messages as the envelope left them, of model.files[0]. Throw ReadFailure.
void decodeGraph(const proto::GraphDef &graph, Model &model);
Signature decodeSignature(const std::string &name,
                          const proto::SignatureDef &signature);
/// Throws ReadFailure at `place` for extents below -1.
Shape decodeShape(const proto::Shape &shape, const std::string &place);
/// The type that a number of types.proto means. Throws ReadFailure at `place`
/// where it means none.
DataType decodeType(int64_t number, const std::string &place);

/// The product of `dims` times `size`. Throws ReadFailure at `place` for
/// negative extents and products past 63 bits.
uint64_t checkedBytes(const std::vector<int64_t> &dims, uint64_t size,
                      const std::string &place);

/// `a`, `a:1`, `a:out:0`. Throws ReadFailure at `place`.
Edge decodeEdge(const std::string &text, const std::string &place);

} // namespace tenon::tf

#endif // TENON_COMPILER_IMPORT_TENSORFLOW_READER_TFDECODER_H
