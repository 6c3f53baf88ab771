// Shape rules as pure functions of extents. No rule depends on an op; every
// error names the constraint that is violated.
#include "dialects/tenon/ShapeRules.h"

#include "dialects/tenon/SizeLimit.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::SmallVector;
using llvm::Twine;

namespace tenon {

static constexpr int64_t unknown = ShapedType::kDynamic;

ShapeOrError shapeError(const Twine &text) { return {{}, text.str()}; }

bool compatible(int64_t a, int64_t b) {
  return a == unknown || b == unknown || a == b;
}

bool compatible(Extents a, Extents b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return compatible(std::get<0>(pair), std::get<1>(pair));
         });
}

int64_t elementCount(Extents shape) {
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t count = 1;
  for (int64_t extent : shape)
    if (extent == unknown || llvm::MulOverflow(count, extent, count))
      return unknown;
  return count;
}

/// True if all entries of `a` and `b` are below `rank` and no entry occurs
/// twice in both lists together.
static bool distinctWithin(Extents a, Extents b, int64_t rank) {
  llvm::SmallVector<bool> seen(rank, false);
  for (Extents list : {a, b})
    for (int64_t dim : list) {
      if (dim < 0 || dim >= rank || seen[dim])
        return false;
      seen[dim] = true;
    }
  return true;
}

static bool ascendingWithin(Extents dims, int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= rank || (i && dims[i - 1] >= dim))
      return false;
  return true;
}

ShapeOrError dotGeneralShape(Extents lhs, Extents rhs, Extents lhsBatch,
                             Extents rhsBatch, Extents lhsContract,
                             Extents rhsContract) {
  if (lhsBatch.size() != rhsBatch.size() ||
      lhsContract.size() != rhsContract.size())
    return shapeError(
        "expected batch and contracting lists of equal length (C1)");
  if (!distinctWithin(lhsBatch, lhsContract, lhs.size()) ||
      !distinctWithin(rhsBatch, rhsContract, rhs.size()))
    return shapeError("expected distinct dimensions within the rank (C2)");
  ShapeOrError result;
  for (auto [l, r] : llvm::zip(lhsBatch, rhsBatch)) {
    if (!compatible(lhs[l], rhs[r]))
      return shapeError("expected batch extents to agree (C3), got " +
                        Twine(lhs[l]) + " and " + Twine(rhs[r]));
    result.shape.push_back(lhs[l] == unknown ? rhs[r] : lhs[l]);
  }
  for (auto [l, r] : llvm::zip(lhsContract, rhsContract))
    if (!compatible(lhs[l], rhs[r]))
      return shapeError("expected contracting extents to agree (C4), got " +
                        Twine(lhs[l]) + " and " + Twine(rhs[r]));
  for (auto [i, extent] : llvm::enumerate(lhs))
    if (!llvm::is_contained(lhsBatch, int64_t(i)) &&
        !llvm::is_contained(lhsContract, int64_t(i)))
      result.shape.push_back(extent);
  for (auto [i, extent] : llvm::enumerate(rhs))
    if (!llvm::is_contained(rhsBatch, int64_t(i)) &&
        !llvm::is_contained(rhsContract, int64_t(i)))
      result.shape.push_back(extent);
  return result;
}

int64_t windowExtent(int64_t size, int64_t window, int64_t stride, int64_t low,
                     int64_t high, int64_t sizeDilation,
                     int64_t windowDilation) {
  if (size == unknown)
    return unknown;
  auto dilated = [](int64_t count, int64_t dilation) {
    return saturatingAdd(saturatingMul(count - 1, dilation), 1);
  };
  int64_t padded = saturatingAdd(
      saturatingAdd(size == 0 ? 0 : dilated(size, sizeDilation), low), high);
  int64_t reach = dilated(window, windowDilation);
  return padded < reach
             ? 0
             : saturatingAdd(saturatingAdd(padded, -reach) / stride, 1);
}

static bool allPositive(Extents list) {
  return llvm::all_of(list, [](int64_t v) { return v > 0; });
}

ShapeOrError convolutionShape(Extents lhs, Extents rhs, Extents strides,
                              Extents padding, Extents lhsDilation,
                              Extents rhsDilation, int64_t groups) {
  if (lhs.size() < 3 || lhs.size() != rhs.size())
    return shapeError("expected operands of one rank of at least 3 (C1), got " +
                      Twine(lhs.size()) + " and " + Twine(rhs.size()));
  size_t spatial = lhs.size() - 2;
  if (strides.size() != spatial || lhsDilation.size() != spatial ||
      rhsDilation.size() != spatial || padding.size() != 2 * spatial)
    return shapeError("expected an entry per spatial extent (C2)");
  if (!allPositive(strides) || !allPositive(lhsDilation) ||
      !allPositive(rhsDilation) || groups <= 0)
    return shapeError("expected positive strides, dilations and groups (C2)");
  int64_t features = lhs.back(), outputs = rhs.back(), perGroup = rhs[spatial];
  if (features != unknown && perGroup != unknown &&
      features != perGroup * groups)
    return shapeError(
        "expected features = groups * kernel features (C3), got " +
        Twine(features) + " and " + Twine(groups) + " * " + Twine(perGroup));
  if (outputs != unknown && outputs % groups != 0)
    return shapeError("expected outputs to be a multiple of groups (C3), got " +
                      Twine(outputs) + " and " + Twine(groups));
  ShapeOrError result;
  result.shape.push_back(lhs[0]);
  for (size_t i = 0; i < spatial; ++i)
    result.shape.push_back(
        rhs[i] == unknown
            ? unknown
            : windowExtent(lhs[i + 1], rhs[i], strides[i], padding[2 * i],
                           padding[2 * i + 1], lhsDilation[i], rhsDilation[i]));
  result.shape.push_back(outputs);
  return result;
}

ShapeOrError reduceWindowShape(Extents operand, Extents window, Extents strides,
                               Extents dilations, Extents padding) {
  size_t rank = operand.size();
  if (window.size() != rank || strides.size() != rank ||
      dilations.size() != rank || padding.size() != 2 * rank)
    return shapeError("expected an entry per dimension (C1)");
  if (!allPositive(window) || !allPositive(strides) || !allPositive(dilations))
    return shapeError("expected positive windows, strides and dilations (C1)");
  ShapeOrError result;
  for (size_t i = 0; i < rank; ++i)
    result.shape.push_back(windowExtent(operand[i], window[i], strides[i],
                                        padding[2 * i], padding[2 * i + 1], 1,
                                        dilations[i]));
  return result;
}

ShapeOrError reduceShape(Extents operand, Extents dims) {
  if (!ascendingWithin(dims, operand.size()))
    return shapeError("expected ascending dimensions within rank " +
                      Twine(operand.size()) + " (C1)");
  ShapeOrError result;
  for (auto [i, extent] : llvm::enumerate(operand))
    if (!llvm::is_contained(dims, int64_t(i)))
      result.shape.push_back(extent);
  return result;
}

ShapeOrError transposeShape(Extents operand, Extents permutation) {
  if (permutation.size() != operand.size() ||
      !distinctWithin(permutation, {}, operand.size()))
    return shapeError("expected a permutation of " + Twine(operand.size()) +
                      " dimensions (C1)");
  ShapeOrError result;
  for (int64_t dim : permutation)
    result.shape.push_back(operand[dim]);
  return result;
}

ShapeOrError concatenateShape(llvm::ArrayRef<Extents> operands, int64_t dim) {
  if (operands.empty() || dim < 0 || dim >= int64_t(operands[0].size()))
    return shapeError(
        "expected an operand and a dimension within its rank (C1)");
  ShapeOrError result{SmallVector<int64_t>(operands[0]), ""};
  for (Extents operand : operands.drop_front()) {
    if (operand.size() != operands[0].size())
      return shapeError("expected operands of one rank (C2)");
    for (auto [i, extent] : llvm::enumerate(operand)) {
      int64_t &joined = result.shape[i];
      if (int64_t(i) == dim)
        joined = joined == unknown || extent == unknown
                     ? unknown
                     : saturatingAdd(joined, extent);
      else if (!compatible(joined, extent))
        return shapeError("expected other extents to agree (C2), got " +
                          Twine(joined) + " and " + Twine(extent));
      else if (joined == unknown)
        joined = extent;
    }
  }
  return result;
}

ShapeOrError padShape(Extents operand, Extents low, Extents high,
                      Extents interior) {
  size_t rank = operand.size();
  if (low.size() != rank || high.size() != rank || interior.size() != rank)
    return shapeError("expected an entry per dimension (C1)");
  ShapeOrError result;
  for (size_t i = 0; i < rank; ++i) {
    if (interior[i] < 0)
      return shapeError(
          "expected interior padding not to be negative (C1), got " +
          Twine(interior[i]));
    if (operand[i] == unknown || low[i] == unknown || high[i] == unknown) {
      result.shape.push_back(unknown);
      continue;
    }
    int64_t inner =
        operand[i] == 0
            ? 0
            : saturatingAdd(operand[i],
                            saturatingMul(operand[i] - 1, interior[i]));
    int64_t padded = saturatingAdd(saturatingAdd(inner, low[i]), high[i]);
    if (padded < 0)
      return shapeError(
          "expected padding not to cut more than there is (C3), got extent " +
          Twine(operand[i]) + " and padding " + Twine(low[i]) + ", " +
          Twine(high[i]));
    result.shape.push_back(padded);
  }
  return result;
}

ShapeOrError gatherShape(Extents operand, Extents indices, Extents offsetDims,
                         Extents collapsedDims, Extents operandBatching,
                         Extents indicesBatching, Extents startIndexMap,
                         int64_t indexVectorDim, Extents sliceSizes) {
  int64_t rank = operand.size(), indexRank = indices.size();
  if (indexVectorDim < 0 || indexVectorDim > indexRank)
    return shapeError(
        "expected the index vector dimension within the indices' rank (C2)");
  int64_t vectorLength =
      indexVectorDim == indexRank ? 1 : indices[indexVectorDim];
  if (!compatible(vectorLength, startIndexMap.size()) ||
      !distinctWithin(startIndexMap, operandBatching, rank))
    return shapeError("expected an index map as long as the index vector (C2)");
  if (operandBatching.size() != indicesBatching.size() ||
      !distinctWithin(indicesBatching, {}, indexRank))
    return shapeError(
        "expected as many batching dimensions in operand and indices (C3)");
  for (auto [o, i] : llvm::zip(operandBatching, indicesBatching))
    if (i == indexVectorDim || !compatible(operand[o], indices[i]))
      return shapeError(
          "expected equal extents in batching dimensions of operand and "
          "indices (C3)");
  if (int64_t(sliceSizes.size()) != rank ||
      !ascendingWithin(collapsedDims, rank) ||
      !distinctWithin(collapsedDims, operandBatching, rank))
    return shapeError("expected a slice size per dimension and ascending "
                      "collapsed dimensions (C1)");
  bool mayBeEmpty = false;
  for (int64_t i = 0; i < indexRank; ++i)
    mayBeEmpty |=
        i != indexVectorDim && (indices[i] == 0 || indices[i] == unknown);
  SmallVector<int64_t> window;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = sliceSizes[i] == -1 ? operand[i] : sliceSizes[i];
    bool dropped = llvm::is_contained(collapsedDims, i) ||
                   llvm::is_contained(operandBatching, i);
    if (dropped && !compatible(size, 1))
      return shapeError(
          "expected slice size 1 in a collapsed or batching dimension (C1)");
    if (size != unknown && operand[i] != unknown && size > operand[i] &&
        !mayBeEmpty)
      return shapeError("expected slice sizes within the extents (C4), got " +
                        Twine(size) + " of " + Twine(operand[i]));
    if (!dropped)
      window.push_back(size);
  }
  int64_t batchRank = indexRank - (indexVectorDim < indexRank ? 1 : 0);
  int64_t resultRank = batchRank + int64_t(window.size());
  if (offsetDims.size() != window.size() ||
      !ascendingWithin(offsetDims, resultRank))
    return shapeError(
        "expected an ascending offset dimension per kept slice dimension (C1)");
  ShapeOrError result;
  int64_t nextBatch = 0, nextWindow = 0;
  for (int64_t i = 0; i < resultRank; ++i) {
    if (llvm::is_contained(offsetDims, i)) {
      result.shape.push_back(window[nextWindow++]);
      continue;
    }
    if (nextBatch == indexVectorDim)
      ++nextBatch;
    result.shape.push_back(indices[nextBatch++]);
  }
  return result;
}

SmallVector<int64_t> inOrder(Extents shape, Extents order) {
  SmallVector<int64_t> extents;
  for (int64_t dim : order)
    extents.push_back(shape[dim]);
  return extents;
}

ShapeOrError attentionShape(Extents query, Extents key, Extents value,
                            bool byTable) {
  size_t batch = query.size() - 2;
  if (!compatible(key.take_front(batch), value.take_front(batch)))
    return shapeError("expected keys and values of one batch (C2)");
  for (size_t i = 0; i < batch; ++i) {
    bool grouped = i + 1 == batch && query[i] != unknown && key[i] != unknown &&
                   key[i] > 0 && query[i] % key[i] == 0;
    bool found = byTable && i == 0;
    if (!found && !grouped && !compatible(query[i], key[i]))
      return shapeError("expected batch extents to agree, heads up to a "
                        "multiple (C2), got " +
                        Twine(query[i]) + " and " + Twine(key[i]));
  }
  if (!compatible(query.back(), key.back()))
    return shapeError("expected queries and keys of one depth (C3), got " +
                      Twine(query.back()) + " and " + Twine(key.back()));
  if (!compatible(key[batch], value[batch]))
    return shapeError("expected as many values as keys (C3), got " +
                      Twine(value[batch]) + " and " + Twine(key[batch]));
  ShapeOrError result{SmallVector<int64_t>(query), {}};
  result.shape.back() = value.back();
  return result;
}

} // namespace tenon
