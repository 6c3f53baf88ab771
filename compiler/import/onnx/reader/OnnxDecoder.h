// Converts protobuf's messages to the structures of OnnxModel.h. It checks each
// message by itself; OnnxChecker checks how they fit together.
#ifndef TENON_COMPILER_IMPORT_ONNX_READER_ONNXDECODER_H
#define TENON_COMPILER_IMPORT_ONNX_READER_ONNXDECODER_H

#include "compiler/import/onnx/reader/TensorDecoder.h"

#include <onnx/onnx_pb.h>

#include <map>
#include <string>

namespace tenon::onnx {

class OnnxDecoder {
public:
  OnnxDecoder(Model &model, TensorDecoder &tensors)
      : model(model), tensors(tensors) {}

  /// Fills the model from `proto` and empties `proto` on the way. Throws
  /// ReadFailure.
  void decode(::onnx::ModelProto &proto);

private:
  void decodeGraph(::onnx::GraphProto &proto, Graph &graph);
  Function decodeFunction(::onnx::FunctionProto &proto);
  void
  decodeNodes(google::protobuf::RepeatedPtrField<::onnx::NodeProto> &protos,
              std::vector<Node> &nodes);
  Node decodeNode(::onnx::NodeProto &proto, uint32_t index);
  Attribute decodeAttribute(::onnx::AttributeProto &proto, const Node &node);
  ValueInfo decodeValueInfo(const ::onnx::ValueInfoProto &proto,
                            const char *what);
  Type decodeType(const ::onnx::TypeProto &proto, const std::string &place);
  template <typename Proto>
  Type decodeTensorType(const Proto &proto, Type::Kind kind,
                        const std::string &place);

  Model &model;
  TensorDecoder &tensors;
};

} // namespace tenon::onnx

#endif // TENON_COMPILER_IMPORT_ONNX_READER_ONNXDECODER_H
