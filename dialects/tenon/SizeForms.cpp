// Traces extents to their origin through ops, loops and branches, and
// represents each as a polynomial.
#include "dialects/tenon/SizeForms.h"

#include "dialects/tenon/Annotations.h"
#include "dialects/tenon/SizeSigns.h"
#include "dialects/tenon/State.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tenon {
namespace {
/// The most terms of a product of sums; a longer product becomes an atom.
constexpr size_t maxTerms = 32;

/// The kind of an atom, the first entry of its key.
enum AtomKind : uintptr_t {
  NamedExtent,
  Extent,
  Index,
  Operation,
  ContextExtent
};

int64_t wrap(uint64_t value) { return int64_t(value); }
} // namespace

SizeForm operator+(SizeForm a, const SizeForm &b) {
  for (const auto &[factors, coefficient] : b) {
    int64_t &mine = a[factors];
    mine = wrap(uint64_t(mine) + uint64_t(coefficient));
    if (mine == 0)
      a.erase(factors);
  }
  return a;
}

SizeForm operator*(const SizeForm &a, const SizeForm &b) {
  SizeForm product;
  for (const auto &[left, x] : a)
    for (const auto &[right, y] : b) {
      std::vector<unsigned> factors;
      std::merge(left.begin(), left.end(), right.begin(), right.end(),
                 std::back_inserter(factors));
      product = product + SizeForm{{factors, wrap(uint64_t(x) * uint64_t(y))}};
    }
  return product;
}

SizeForm operator-(SizeForm a, const SizeForm &b) {
  return a + SizeForms::number(-1) * b;
}

SizeForm SizeForms::number(int64_t value) {
  return value == 0 ? SizeForm() : SizeForm{{{}, value}};
}

std::optional<int64_t> SizeForms::constant(const SizeForm &form) {
  if (form.empty())
    return 0;
  if (form.size() > 1 || !form.begin()->first.empty())
    return std::nullopt;
  return form.begin()->second;
}

SizeForm SizeForms::atom(const Key &key, bool nonNegative, std::string text) {
  if (!missing.empty())
    return {};
  auto [place, isNew] = atomNumbers.try_emplace(key, unsigned(atoms.size()));
  if (isNew)
    atoms.push_back({nonNegative, std::move(text)});
  return {{{place->second}, 1}};
}

uintptr_t SizeForms::numberOf(const SizeForm &form) {
  return formNumbers.try_emplace(form, formNumbers.size()).first->second;
}

bool SizeForms::isNonNegative(const SizeForm &form) const {
  return llvm::all_of(form, [&](const auto &term) {
    return term.second >= 0 && llvm::all_of(term.first, [&](unsigned factor) {
             return atoms[factor].nonNegative;
           });
  });
}

std::string SizeForms::describe(const SizeForm &form) const {
  if (form.size() != 1 || form.begin()->second != 1 ||
      form.begin()->first.size() != 1)
    return "";
  return atoms[form.begin()->first.front()].text;
}

//===-- Questions -------------------------------------------------------===//

SizeForm SizeForms::of(OpFoldResult size) {
  ask(size);
  answerMissing();
  return ask(size);
}

SizeForm SizeForms::of(Value tensor, int64_t dim) {
  ask(tensor, dim);
  answerMissing();
  return ask(tensor, dim);
}

SizeForm SizeForms::ask(OpFoldResult size) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return number(*known);
  auto found = forms.find({cast<Value>(size), -1});
  if (found != forms.end())
    return found->second;
  missing.emplace_back(cast<Value>(size), -1);
  return {};
}

SizeForm SizeForms::ask(Value tensor, int64_t dim) {
  auto type = cast<ShapedType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return number(type.getDimSize(dim));
  auto found = forms.find({tensor, dim});
  if (found != forms.end())
    return found->second;
  missing.emplace_back(tensor, dim);
  return {};
}

void SizeForms::answerMissing() {
  SmallVector<Question> pending = std::exchange(missing, {});
  while (!pending.empty()) {
    Question next = pending.back();
    if (forms.contains(next)) {
      pending.pop_back();
      continue;
    }
    auto [value, dim] = next;
    SizeForm form = dim < 0 ? compute(value) : computeExtent(value, dim);
    if (missing.empty())
      forms[next] = std::move(form);
    pending.append(std::exchange(missing, {}));
  }
}

//===-- Index values ----------------------------------------------------===//

/// The form divided by a number; nullopt unless it divides every coefficient.
static std::optional<SizeForm> divideExactly(const SizeForm &form,
                                             std::optional<int64_t> divisor) {
  if (!divisor || *divisor <= 0)
    return std::nullopt;
  SizeForm quotient;
  for (const auto &[factors, coefficient] : form) {
    if (coefficient % *divisor != 0)
      return std::nullopt;
    quotient[factors] = coefficient / *divisor;
  }
  return quotient;
}

SizeForm SizeForms::compute(Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (auto bound = dyn_cast_if_present<BoundOp>(op))
    return ask(bound.getValue());
  if (auto extent = dyn_cast_if_present<GetExtentOp>(op))
    return atom(
        {ContextExtent, uintptr_t(extent.getExtentAttr().getAsOpaquePointer())},
        true, "context extent \"" + extent.getExtent().str() + "\"");
  if (auto dim = dyn_cast_if_present<tensor::DimOp>(op))
    if (std::optional<int64_t> constant = dim.getConstantIndex())
      return ask(dim.getSource(), *constant);
  // A float that does not fit a size has no sign: the check of the size stays.
  auto isProved = [&] {
    return provesAtLeast(value, 0, [&](Value operand, int64_t least) {
      return !isa<FloatType>(operand.getType()) &&
             isNonNegative(ask(operand) - number(least));
    });
  };
  if (!op || !isa<arith::ArithDialect>(op->getDialect()) ||
      op->getNumResults() != 1)
    return atom({Index, uintptr_t(value.getAsOpaquePointer())}, isProved());
  SmallVector<SizeForm> operands;
  for (Value operand : op->getOperands())
    operands.push_back(ask(operand));
  if (isa<arith::AddIOp>(op))
    return operands[0] + operands[1];
  if (isa<arith::SubIOp>(op))
    return operands[0] - operands[1];
  if (isa<arith::MulIOp>(op) &&
      operands[0].size() * operands[1].size() <= maxTerms)
    return operands[0] * operands[1];
  if (isa<arith::FloorDivSIOp, arith::DivSIOp, arith::CeilDivSIOp>(op))
    if (auto quotient = divideExactly(operands[0], constant(operands[1])))
      return *quotient;
  if (isa<arith::MaxSIOp>(op) && isNonNegative(operands[0] - operands[1]))
    return operands[0];
  if (isa<arith::SelectOp>(op) && operands[1] == operands[2])
    return operands[1];
  Key key = {Operation, uintptr_t(op->getName().getAsOpaquePointer()),
             uintptr_t(op->getAttrDictionary().getAsOpaquePointer())};
  for (const SizeForm &operand : operands)
    key.push_back(numberOf(operand));
  return atom(key, isProved());
}

//===-- Extents ---------------------------------------------------------===//

Value carriedFrom(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  mlir::Operation *loop =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto each = dyn_cast_if_present<scf::ForOp>(loop)) {
    OpOperand *init = argument ? each.getTiedLoopInit(argument)
                               : each.getTiedLoopInit(cast<OpResult>(value));
    return init ? init->get() : Value();
  }
  auto repeat = dyn_cast_if_present<scf::WhileOp>(loop);
  if (!repeat)
    return {};
  if (argument && argument.getOwner() == repeat.getBeforeBody())
    return repeat.getInits()[argument.getArgNumber()];
  return repeat.getConditionOp()
      .getArgs()[argument ? argument.getArgNumber()
                          : cast<OpResult>(value).getResultNumber()];
}

SizeForm SizeForms::computeExtent(Value tensor, int64_t dim) {
  if (Value source = carriedFrom(tensor))
    return ask(source, dim);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return extentOfArgument(argument, dim);
  auto result = cast<OpResult>(tensor);
  mlir::Operation *op = result.getOwner();
  if (isa<scf::IfOp>(op))
    return extentOfBranch(result, dim);
  if (op->hasTrait<Elementwise>() || isa<tensor::CastOp>(op))
    return ask(op->getOperand(0), dim);
  return reified(result, dim);
}

SizeForm SizeForms::opaqueExtent(Value tensor, int64_t dim) {
  return atom({Extent, uintptr_t(tensor.getAsOpaquePointer()), uintptr_t(dim)},
              true);
}

SizeForm SizeForms::extentOfArgument(BlockArgument argument, int64_t dim) {
  unsigned i = argument.getArgNumber();
  if (argument.getOwner()->getParentOp() != func ||
      !argument.getOwner()->isEntryBlock())
    return opaqueExtent(argument, dim);
  std::string text = "extent " + std::to_string(dim), input;
  if (StringAttr name = annotation::name.of(func, i))
    input = " of input \"" + name.str() + "\"";
  else
    input = " of input " + std::to_string(i);
  DimsAttr dims = annotation::dims.of(func, i);
  StringAttr name = dims ? dims.nameOf(dim) : StringAttr();
  if (!name)
    return atom({Extent, uintptr_t(Value(argument).getAsOpaquePointer()),
                 uintptr_t(dim)},
                true, text + input);
  return atom({NamedExtent, uintptr_t(name.getAsOpaquePointer())}, true,
              text + " (\"" + name.str() + "\")" + input);
}

/// If the branches differ, importers yield the extent as a result beside the
/// tensor.
SizeForm SizeForms::extentOfBranch(OpResult result, int64_t dim) {
  auto branch = cast<scf::IfOp>(result.getOwner());
  unsigned i = result.getResultNumber();
  SizeForm yes = ask(branch.thenYield().getOperand(i), dim),
           no = ask(branch.elseYield().getOperand(i), dim);
  if (yes == no)
    return yes;
  for (OpResult other : branch->getResults()) {
    unsigned k = other.getResultNumber();
    if (other.getType().isIndex() &&
        ask(branch.thenYield().getOperand(k)) == yes &&
        ask(branch.elseYield().getOperand(k)) == no)
      return ask(other);
  }
  return opaqueExtent(result, dim);
}

SizeForm SizeForms::reified(OpResult result, int64_t dim) {
  mlir::Operation *op = result.getOwner();
  auto reify = dyn_cast<ReifyRankedShapedTypeOpInterface>(op);
  auto [place, isNew] = shapes.try_emplace(op);
  if (isNew && reify) {
    OpBuilder builder(op->getContext());
    builder.setInsertionPointToEnd(&scratch);
    if (failed(reify.reifyResultShapes(builder, place->second)))
      place->second.clear();
  }
  if (place->second.size() <= result.getResultNumber())
    return opaqueExtent(result, dim);
  OpFoldResult size = place->second[result.getResultNumber()][dim];
  auto value = dyn_cast<Value>(size);
  auto asked = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  return asked && asked.getSource() == result ? opaqueExtent(result, dim)
                                              : ask(size);
}

} // namespace tenon
