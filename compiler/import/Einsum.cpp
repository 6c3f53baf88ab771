// Einsum. The equation gives a list of labels for each operand. Repeated labels
// become diagonals, and labels that are not needed any more are summed.
// Operands are multiplied from left to right by one dot_general each.
#include "compiler/import/Einsum.h"

#include "dialects/tenon/ShapeRules.h"

#include <map>

using namespace mlir;

namespace tenon {
namespace {

/// A label is a letter, or a negative number for a dimension of the ellipsis,
/// counted from the ellipsis' end.
using Labels = SmallVector<int>;
constexpr int kEllipsis = 0;

struct Term {
  Value value;
  Labels labels;
};

int64_t positionOf(const Labels &labels, int label) {
  auto *at = llvm::find(labels, label);
  return at == labels.end() ? -1 : at - labels.begin();
}

/// Parses the labels of one operand or of the result; `...` gives kEllipsis.
LogicalResult parseTerm(NodeChecks &c, StringRef text, Labels &labels) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (llvm::isAlpha(text[i])) {
      labels.push_back(text[i]);
    } else if (text.substr(i).starts_with("...") &&
               !llvm::is_contained(labels, kEllipsis)) {
      labels.push_back(kEllipsis);
      i += 2;
    } else {
      return c.error("expected letters and at most one ellipsis in the "
                     "equation, got \"" +
                     text + "\"");
    }
  }
  return success();
}

Labels expand(const Labels &labels, int64_t dots) {
  Labels expanded;
  for (int label : labels) {
    if (label != kEllipsis)
      expanded.push_back(label);
    else
      for (int64_t i = dots; i > 0; --i)
        expanded.push_back(-int(i));
  }
  return expanded;
}

/// Replaces each pair of dimensions with equal labels by one: the diagonal,
/// where both indices are equal.
void takeDiagonals(GraphBuilder &g, Term &term) {
  for (size_t j = 1; j < term.labels.size();) {
    int64_t i = positionOf(term.labels, term.labels[j]);
    if (i == int64_t(j)) {
      ++j;
      continue;
    }
    Sizes sizes = g.sizes(term.value);
    Value on = g.compare(CompareDirection::EQ, g.iota(g.i64(), sizes, i),
                         g.iota(g.i64(), sizes, j));
    Value kept = g.select(on, term.value, g.splatLike(term.value, 0));
    term.value = g.reduce(ReduceKind::Add, kept, {int64_t(j)}, false);
    term.labels.erase(term.labels.begin() + j);
  }
}

/// Sums the dimensions whose labels are not needed.
void sumOut(GraphBuilder &g, Term &term, function_ref<bool(int)> needed) {
  SmallVector<int64_t> dims;
  Labels left;
  for (auto [i, label] : llvm::enumerate(term.labels)) {
    if (needed(label))
      left.push_back(label);
    else
      dims.push_back(i);
  }
  if (!dims.empty())
    term.value = g.reduce(ReduceKind::Add, term.value, dims, false);
  term.labels = left;
}

Term multiply(GraphBuilder &g, const Term &a, const Term &b,
              function_ref<bool(int)> needed) {
  SmallVector<int64_t> batchA, batchB, contractA, contractB;
  Term result;
  for (auto [i, label] : llvm::enumerate(a.labels)) {
    int64_t j = positionOf(b.labels, label);
    if (j < 0)
      continue;
    if (needed(label)) {
      batchA.push_back(i);
      batchB.push_back(j);
      result.labels.push_back(label);
    } else {
      contractA.push_back(i);
      contractB.push_back(j);
    }
  }
  for (int label : a.labels)
    if (positionOf(b.labels, label) < 0)
      result.labels.push_back(label);
  for (int label : b.labels)
    if (positionOf(a.labels, label) < 0)
      result.labels.push_back(label);
  result.value =
      g.dotGeneral(a.value, b.value, batchA, batchB, contractA, contractB);
  return result;
}

/// Parses the equation into one list of labels per operand. `output` gets the
/// labels after the arrow, if there is one.
LogicalResult parse(NodeChecks &c, StringRef text, std::vector<Labels> &terms,
                    std::optional<Labels> &output) {
  std::string packed;
  for (char letter : text)
    if (letter != ' ')
      packed += letter;
  StringRef equation(packed);
  size_t arrow = equation.find("->");
  StringRef left = equation.substr(0, arrow);
  SmallVector<StringRef> parts;
  left.split(parts, ',');
  if (parts.size() != c.numInputs())
    return c.error("expected a term per input in the equation, got " +
                   Twine(parts.size()) + " terms for " + Twine(c.numInputs()) +
                   " inputs");
  terms.resize(parts.size());
  for (auto [part, labels] : llvm::zip(parts, terms))
    if (failed(parseTerm(c, part, labels)))
      return failure();
  if (arrow == StringRef::npos)
    return success();
  output.emplace();
  return parseTerm(c, equation.substr(arrow + 2), *output);
}

} // namespace

FailureOr<Value> einsum(NodeChecks &c, StringRef text) {
  GraphBuilder &g = c.g;
  std::vector<Labels> lists;
  std::optional<Labels> output;
  if (failed(parse(c, text, lists, output)))
    return failure();
  for (size_t i = 0; i < c.numInputs(); ++i)
    if (failed(c.expectNumber(i)))
      return failure();
  if (failed(c.expectSameElements()))
    return failure();

  int64_t dots = 0;
  std::vector<Term> terms;
  std::map<int, int64_t> extents, uses;
  for (auto [i, labels] : llvm::enumerate(lists)) {
    Value x = c.input(i);
    int64_t rank = g.rankOf(x), named = llvm::count_if(labels, [](int label) {
                                  return label != kEllipsis;
                                });
    bool open = llvm::is_contained(labels, kEllipsis);
    if (open ? rank < named : rank != named)
      return c.error("expected a label per dimension of input " + Twine(i) +
                     ", got " + Twine(named) + " labels for " + textOf(x));
    dots = std::max(dots, rank - named);
    terms.push_back({x, expand(labels, rank - named)});
    for (auto [dim, label] : llvm::enumerate(terms.back().labels)) {
      int64_t extent = g.shapeOf(x)[dim];
      auto [known, isNew] = extents.try_emplace(label, extent);
      if (!isNew && (known->second == 1 ||
                     (ShapedType::isDynamic(known->second) && extent != 1)))
        known->second = extent;
      else if (!isNew && extent != 1 && !compatible(known->second, extent))
        return c.error("expected extents of one label to agree, got " +
                       Twine(known->second) + " and " + Twine(extent));
      ++uses[label];
    }
  }

  Labels result;
  if (output) {
    result = expand(*output, dots);
  } else {
    // Without an arrow the result has the ellipsis, then the labels used
    // exactly once in alphabetical order.
    result = expand({kEllipsis}, dots);
    for (auto [label, count] : uses)
      if (label > 0 && count == 1)
        result.push_back(label);
  }
  for (auto [i, label] : llvm::enumerate(result))
    if (!uses.count(label) || positionOf(result, label) != int64_t(i))
      return c.error(label < 0
                         ? Twine("expected an ellipsis among the inputs")
                         : "expected output label '" + Twine(char(label)) +
                               "' once, and among the inputs");

  for (Term &term : terms) {
    // An extent of one is broadcast, so it takes no part in the product.
    SmallVector<int64_t> ones;
    Labels left;
    for (auto [dim, label] : llvm::enumerate(term.labels)) {
      if (g.shapeOf(term.value)[dim] == 1 && extents[label] != 1)
        ones.push_back(dim);
      else
        left.push_back(label);
    }
    if (!ones.empty())
      term = {g.squeeze(term.value, ones), left};
    takeDiagonals(g, term);
  }
  Term total = terms[0];
  for (size_t i = 0; i < terms.size(); ++i) {
    auto neededAfter = [&](size_t next) {
      return [&, next](int label) {
        return llvm::is_contained(result, label) ||
               llvm::any_of(ArrayRef(terms).drop_front(next),
                            [&](const Term &t) {
                              return positionOf(t.labels, label) >= 0;
                            });
      };
    };
    if (i > 0) {
      auto neededByLeft = [&](int label) {
        return neededAfter(i + 1)(label) ||
               positionOf(total.labels, label) >= 0;
      };
      sumOut(g, terms[i], neededByLeft);
      total = multiply(g, total, terms[i], neededAfter(i + 1));
    }
    sumOut(g, total, neededAfter(i + 1));
  }
  SmallVector<int64_t> permutation;
  for (int label : result)
    permutation.push_back(positionOf(total.labels, label));
  return g.transpose(total.value, permutation);
}

} // namespace tenon
