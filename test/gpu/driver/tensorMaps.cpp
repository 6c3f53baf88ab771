// The driver's function for tensor maps. Interleaved tensors, steps between
// elements, the types of .tf32 and NaN outside are not emulated.
#include "test/gpu/driver/TensorMapApi.h"

#include "test/gpu/driver/Call.h"
#include "test/gpu/emulator/TensorMap.h"

#include <cstring>

using namespace tenon::ptx;

/// The bytes of an element, or 0.
static uint8_t bytesOf(CUtensorMapDataType type) {
  switch (type) {
  case CU_TENSOR_MAP_DATA_TYPE_UINT8:
    return 1;
  case CU_TENSOR_MAP_DATA_TYPE_UINT16:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
  case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16:
    return 2;
  case CU_TENSOR_MAP_DATA_TYPE_UINT32:
  case CU_TENSOR_MAP_DATA_TYPE_INT32:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    return 4;
  case CU_TENSOR_MAP_DATA_TYPE_UINT64:
  case CU_TENSOR_MAP_DATA_TYPE_INT64:
  case CU_TENSOR_MAP_DATA_TYPE_FLOAT64:
    return 8;
  }
  return 0;
}

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, uint32_t rank, void *address,
    const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
    const uint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  return inContext("cuTensorMapEncodeTiled", [&] {
    auto refuse = [](const std::string &why) {
      driver().report("cuTensorMapEncodeTiled: " + why);
      return CUDA_ERROR_INVALID_VALUE;
    };
    if (!map || reinterpret_cast<uintptr_t>(map) % tensorMapAlign)
      return refuse("a map whose address is no multiple of 64");
    if (rank < 1 || rank > maxTensorRank)
      return refuse("a rank that is not 1 to 5");
    if (driver().settings.architecture < 90 || bytesOf(type) == 0 ||
        interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        uint32_t(swizzle) > CU_TENSOR_MAP_SWIZZLE_128B ||
        uint32_t(promotion) > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
      return refuse("a choice that the device or the stand-in does not have");
    TensorMap made;
    made.address = reinterpret_cast<uint64_t>(address);
    made.elementBytes = bytesOf(type);
    made.rank = uint8_t(rank);
    made.swizzle = Swizzle(swizzle);
    for (uint32_t i = 0; i < rank; ++i) {
      if (elementStrides[i] != 1)
        return refuse("steps between elements");
      made.extents[i] = extents[i];
      made.box[i] = uint16_t(std::min(box[i], 0xffffu));
      if (i)
        made.strides[i - 1] = strides[i - 1];
    }
    if (std::string error = tensorMapError(made); !error.empty())
      return refuse(error);
    std::memset(map, 0, sizeof *map);
    std::memcpy(map, &made, sizeof made);
    return CUDA_SUCCESS;
  });
}
