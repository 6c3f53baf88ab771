// Tests constants whose shape, type and payload disagree, or agree only after
// an overflow.
#include "test/bad/OnnxModels.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::test {
namespace {

using Proto = ::onnx::TensorProto;

Reading readWith(const Proto &tensor) {
  ::onnx::ModelProto model = makeModel();
  *model.mutable_graph()->add_initializer() = tensor;
  return read(model);
}

Proto makeTensor(int type, std::vector<int64_t> dims) {
  Proto tensor;
  tensor.set_name("t");
  tensor.set_data_type(type);
  for (int64_t dim : dims)
    tensor.add_dims(dim);
  return tensor;
}

TEST(OnnxTensor, NegativeExtentsAreNamed) {
  for (int64_t dim : {int64_t(-1), int64_t(-5), INT64_MIN})
    expectRefused(readWith(makeTensor(Proto::FLOAT, {dim})),
                  Status::InvalidModel, std::to_string(dim));
}

TEST(OnnxTensor, SizesThatOverflowAreRefused) {
  const std::vector<int64_t> shapes[] = {{INT64_MAX},
                                         {int64_t(1) << 62},
                                         {int64_t(1) << 32, int64_t(1) << 32},
                                         {INT64_MAX, INT64_MAX},
                                         {3037000500, 3037000500}};
  for (const auto &dims : shapes)
    for (int type : {Proto::DOUBLE, Proto::STRING, Proto::INT8}) {
      Reading constant = readWith(makeTensor(type, dims));
      EXPECT_EQ(constant.status(), Status::InvalidModel) << constant.text();
    }
  for (const auto &dims : shapes) {
    ::onnx::ModelProto model = makeModel();
    addTensor(model.mutable_graph()->mutable_input(), "huge", dims);
    expectRefused(read(model), Status::InvalidModel, "overflows");
  }
}

TEST(OnnxTensor, RankIsBounded) {
  for (int rank : {65, 40000, 200000})
    expectRefused(
        readWith(makeTensor(Proto::FLOAT, std::vector<int64_t>(rank, 1))),
        Status::Limit, "rank");
  ::onnx::ModelProto model = makeModel();
  addTensor(model.mutable_graph()->mutable_input(), "deep",
            std::vector<int64_t>(65, 1));
  expectRefused(read(model), Status::Limit, "rank");
  Proto tensor = makeTensor(Proto::FLOAT, std::vector<int64_t>(64, 1));
  tensor.add_float_data(1);
  expectRead(readWith(tensor));
}

TEST(OnnxTensor, EmptyTensorsAndScalarsAreRead) {
  for (const std::vector<int64_t> &dims :
       {std::vector<int64_t>{0},
        {0, int64_t(1) << 62},
        {3, 0, 5},
        {int64_t(1) << 62, int64_t(1) << 62, 0}}) {
    Reading reading = readWith(makeTensor(Proto::FLOAT, dims));
    ASSERT_TRUE(reading.model) << reading.text();
    EXPECT_EQ(reading.model->graph.initializers.back().numElements(), 0);
  }
  Proto scalar = makeTensor(Proto::FLOAT, {});
  expectRefused(readWith(scalar), Status::InvalidModel, "expected 1 values");
  scalar.add_float_data(3);
  expectRead(readWith(scalar));
}

TEST(OnnxTensor, RawDataHasExactlyTheBytesOfTheShape) {
  for (int bytes : {0, 1, 15, 17, 4000}) {
    Proto tensor = makeTensor(Proto::FLOAT, {4});
    tensor.set_raw_data(std::string(bytes, '\0'));
    expectRefused(readWith(tensor), Status::InvalidModel,
                  "got " + std::to_string(bytes));
  }
}

TEST(OnnxTensor, PayloadIsInOneFieldTheRightOne) {
  Proto two = makeTensor(Proto::FLOAT, {1});
  two.add_float_data(1);
  two.set_raw_data(std::string(4, '\0'));
  expectRefused(readWith(two), Status::InvalidModel, "raw_data");
  Proto wrong = makeTensor(Proto::FLOAT, {1});
  wrong.add_int64_data(1);
  expectRefused(readWith(wrong), Status::InvalidModel,
                "in float_data or raw_data, got int64_data");
  Proto strings = makeTensor(Proto::STRING, {1});
  strings.set_raw_data("a");
  expectRefused(readWith(strings), Status::InvalidModel, "string_data");
  for (int count : {0, 3, 5}) {
    Proto typed = makeTensor(Proto::INT64, {4});
    for (int i = 0; i < count; ++i)
      typed.add_int64_data(i);
    expectRefused(readWith(typed), Status::InvalidModel,
                  "expected 4 values for the tensor's shape, got " +
                      std::to_string(count));
  }
}

TEST(OnnxTensor, UnknownElementTypesAreNamed) {
  expectRefused(readWith(makeTensor(99, {0})), Status::InvalidModel, "99");
  expectRefused(readWith(makeTensor(0, {0})), Status::InvalidModel, "got 0");
  expectRefused(readWith(makeTensor(-1, {0})), Status::InvalidModel, "got -1");
  expectRefused(readWith(makeTensor(17, {0})), Status::Unsupported, "17");
}

TEST(OnnxTensor, NarrowValuesOutOfRangeAreNamed) {
  Proto tensor = makeTensor(Proto::UINT8, {2});
  tensor.add_int32_data(255);
  tensor.add_int32_data(256);
  expectRefused(readWith(tensor), Status::InvalidModel,
                "values of u8, got 256");
}

TEST(OnnxTensor, SegmentsAreUnsupported) {
  Proto tensor = makeFloats("t", 2);
  tensor.mutable_segment()->set_begin(0);
  expectRefused(readWith(tensor), Status::Unsupported, "segments");
}

/// The bytes that the reader makes of `tensor`.
template <typename T> std::vector<T> valuesOf(const Proto &tensor) {
  Reading reading = readWith(tensor);
  if (!reading.model) {
    ADD_FAILURE() << reading.text();
    return {};
  }
  auto bytes = reading.model->bytes(reading.model->graph.initializers.back());
  std::vector<T> values(bytes->size() / sizeof(T));
  std::memcpy(values.data(), bytes->data(), values.size() * sizeof(T));
  return values;
}

TEST(OnnxTensor, TypedFieldsBecomeNativeElements) {
  Proto i8 = makeTensor(Proto::INT8, {3});
  for (int value : {-128, 0, 127})
    i8.add_int32_data(value);
  EXPECT_EQ(valuesOf<int8_t>(i8), (std::vector<int8_t>{-128, 0, 127}));
  Proto f16 = makeTensor(Proto::FLOAT16, {2});
  f16.add_int32_data(0x3c00);
  f16.add_int32_data(0xfbff);
  EXPECT_EQ(valuesOf<uint16_t>(f16), (std::vector<uint16_t>{0x3c00, 0xfbff}));
  Proto boolean = makeTensor(Proto::BOOL, {3});
  for (int value : {0, 1, 7})
    boolean.add_int32_data(value);
  EXPECT_EQ(valuesOf<uint8_t>(boolean), (std::vector<uint8_t>{0, 1, 1}));
  Proto u64 = makeTensor(Proto::UINT64, {1});
  u64.add_uint64_data(UINT64_MAX);
  EXPECT_EQ(valuesOf<uint64_t>(u64), (std::vector<uint64_t>{UINT64_MAX}));
  Proto i64 = makeTensor(Proto::INT64, {2});
  i64.add_int64_data(INT64_MIN);
  i64.add_int64_data(5);
  EXPECT_EQ(valuesOf<int64_t>(i64), (std::vector<int64_t>{INT64_MIN, 5}));
  Proto f64 = makeTensor(Proto::DOUBLE, {2});
  f64.add_double_data(0.1);
  f64.add_double_data(-0.0);
  EXPECT_EQ(valuesOf<double>(f64), (std::vector<double>{0.1, -0.0}));
  Proto complex = makeTensor(Proto::COMPLEX64, {1});
  complex.add_float_data(1);
  complex.add_float_data(2);
  EXPECT_EQ(valuesOf<float>(complex), (std::vector<float>{1, 2}));
}

TEST(OnnxTensor, UnpackedElementsAreReadAsPackedOnes) {
  // dims 3, data_type INT64, then int64_data 7, 8, 9 unpacked, with an unknown
  // field between them.
  std::string bytes("\x08\x03\x10\x07\x38\x07\x38\x08\xd0\x0f\x01\x38\x09"
                    "\x42\x01t",
                    16);
  ::onnx::ModelProto model = makeModel();
  ::onnx::ModelProto tail;
  std::string graph = "\x2a" + std::string(1, char(bytes.size())) + bytes;
  std::string extra = "\x3a" + std::string(1, char(graph.size())) + graph;
  Reading reading = readBytes(model.SerializeAsString() + extra);
  ASSERT_TRUE(reading.model) << reading.text();
  auto values = reading.model->bytes(reading.model->graph.initializers.back());
  int64_t expected[] = {7, 8, 9};
  ASSERT_EQ(values->size(), sizeof(expected));
  EXPECT_EQ(std::memcmp(values->data(), expected, sizeof(expected)), 0);
}

TEST(OnnxTensor, StringsAreKept) {
  Proto tensor = makeTensor(Proto::STRING, {3});
  tensor.add_string_data("a");
  tensor.add_string_data("");
  tensor.add_string_data(std::string("\0\xff", 2));
  Reading reading = readWith(tensor);
  ASSERT_TRUE(reading.model) << reading.text();
  EXPECT_EQ(std::get<onnx::StringElements>(
                reading.model->graph.initializers.back().payload),
            (onnx::StringElements{"a", "", std::string("\0\xff", 2)}));
}

TEST(OnnxTensor, SpecialNumbersKeepTheirBits) {
  std::vector<uint32_t> bits = {0x7fc12345, 0xff812345, 0x7f800000,
                                0xff800000, 0x00000001, 0x80000000};
  Proto raw = makeTensor(Proto::FLOAT, {int64_t(bits.size())});
  raw.set_raw_data(bits.data(), bits.size() * 4);
  EXPECT_EQ(valuesOf<uint32_t>(raw), bits);
}

/// A sparse f32[3, 4] with the given indices.
::onnx::SparseTensorProto makeSparse(std::vector<int64_t> dims,
                                     std::vector<int64_t> indices) {
  ::onnx::SparseTensorProto sparse;
  *sparse.mutable_values() = makeFloats("s", 2);
  sparse.add_dims(3);
  sparse.add_dims(4);
  *sparse.mutable_indices() = makeTensor(Proto::INT64, dims);
  for (int64_t index : indices)
    sparse.mutable_indices()->add_int64_data(index);
  return sparse;
}

TEST(OnnxTensor, SparseIndicesAreInsideAndAscending) {
  auto with = [](const ::onnx::SparseTensorProto &sparse) {
    ::onnx::ModelProto model = makeModel();
    *model.mutable_graph()->add_sparse_initializer() = sparse;
    return read(model);
  };
  expectRead(with(makeSparse({2}, {1, 11})));
  expectRead(with(makeSparse({2, 2}, {0, 1, 2, 3})));
  expectRefused(with(makeSparse({2}, {1, 12})), Status::InvalidModel,
                "from 0 to 11, got 12");
  expectRefused(with(makeSparse({2}, {-1, 3})), Status::InvalidModel, "got -1");
  expectRefused(with(makeSparse({2}, {5, 5})), Status::InvalidModel,
                "ascending");
  expectRefused(with(makeSparse({2, 2}, {0, 1, 3, 0})), Status::InvalidModel,
                "from 0 to 2, got 3");
  expectRefused(with(makeSparse({3}, {0, 1, 2})), Status::InvalidModel,
                "indices of shape");
}

} // namespace
} // namespace tenon::test
