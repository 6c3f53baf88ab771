// Makes a view of a memref with one dimension; nothing is copied.
#include "passes/kernel/element/FlatMemory.h"

#include "passes/kernel/element/ElementEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tenon {

Value flattened(Kernel &kernel, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  OpBuilder &b = kernel.builder;
  ElementEmitter sizes(kernel, 1);
  IndexBuilder at{b, kernel.loc()};
  Value count = at.constant(1);
  for (int64_t d = 0; d < type.getRank(); ++d)
    count = at.mul(count, sizes.extent(memref, d));
  OpFoldResult size = getAsOpFoldResult(count);
  int64_t known = getConstantIntValue(size).value_or(ShapedType::kDynamic);
  auto flat = MemRefType::get({known}, type.getElementType());
  auto strided =
      MemRefType::get({known}, type.getElementType(),
                      StridedLayoutAttr::get(b.getContext(), 0, {1}));
  Value view = memref::ReinterpretCastOp::create(
      b, kernel.loc(), strided, memref, b.getIndexAttr(0), ArrayRef(size),
      ArrayRef<OpFoldResult>(b.getIndexAttr(1)));
  return memref::CastOp::create(b, kernel.loc(), flat, view);
}

} // namespace tenon
