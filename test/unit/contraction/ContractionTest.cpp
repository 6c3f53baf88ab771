// Tests products against one scalar reference, bit by bit. Every element is a
// chain of fused multiply-adds over ascending terms, whatever the extents, the
// vector width and the split into tasks.
#include "test/unit/contraction/ContractionCase.h"

#include "gtest/gtest.h"
#include <algorithm>

using namespace tenon;

namespace {
Dims freeDims(size_t rank, const Dims &batch, const Dims &contract) {
  Dims free;
  for (size_t i = 0; i < rank; ++i)
    if (std::find(batch.begin(), batch.end(), i) == batch.end() &&
        std::find(contract.begin(), contract.end(), i) == contract.end())
      free.push_back(i);
  return free;
}

Case dotCase(const std::string &name, Dims lhs, Dims rhs, Dims lhsBatch,
             Dims rhsBatch, Dims lhsContract, Dims rhsContract,
             Epilogue epilogue = Epilogue::None,
             Unknown unknown = Unknown::None,
             Element element = Element::Float) {
  Case test{name, {}, {}, {lhs, rhs}, {}, {}};
  fillInputs(test, element);
  Dims lhsFree = freeDims(lhs.size(), lhsBatch, lhsContract),
       rhsFree = freeDims(rhs.size(), rhsBatch, rhsContract);
  for (int64_t d : lhsBatch)
    test.result.push_back(lhs[d]);
  for (int64_t d : lhsFree)
    test.result.push_back(lhs[d]);
  for (int64_t d : rhsFree)
    test.result.push_back(rhs[d]);
  auto lb = offsets(lhs, lhsBatch), rb = offsets(rhs, rhsBatch),
       lf = offsets(lhs, lhsFree), rf = offsets(rhs, rhsFree),
       lk = offsets(lhs, lhsContract), rk = offsets(rhs, rhsContract);
  for (size_t batch = 0; batch < lb.size(); ++batch)
    for (int64_t m : lf)
      for (int64_t n : rf) {
        BlockedSum sum(lk.size() > 128 ? 128 : 0);
        for (size_t k = 0; k < lk.size(); ++k)
          sum.add(test.inputs[0][lb[batch] + m + lk[k]],
                  test.inputs[1][rb[batch] + n + rk[k]]);
        test.expected.push_back(sum.value());
      }
  std::string bias = epilogue == Epilogue::None
                         ? ""
                         : ", %bias: " + type({test.result.back()});
  Unknown right = unknown == Unknown::Rows ? Unknown::None : unknown;
  std::string types = "(" + type(lhs, unknown) + ", " + type(rhs, right) +
                      ") -> " + type(test.result, unknown);
  test.text = "func.func @" + name + "(%x: " + type(lhs, unknown) +
              ", %y: " + type(rhs, right) + bias + ") -> " +
              type(test.result, unknown) + " {\n  %0 = tenon.dot_general %x, " +
              "%y batch " + list(lhsBatch) + " x " + list(rhsBatch) +
              " contract " + list(lhsContract) + " x " + list(rhsContract) +
              " : " + types + "\n" +
              finish(test, epilogue, type(test.result, unknown));
  if (element == Element::Integer)
    toIntegers(test);
  return test;
}

const Dims oddRows{1, 3, 7, 8, 17, 50, 129};
const Dims oddColumns{1, 3, 8, 16, 17, 48, 50, 64, 65, 129};
const Dims oddSums{1, 3, 16, 17, 50, 129};

/// Makes cases that combine each row count with two column counts and a depth.
template <typename Make> std::vector<Case> oddCases(Make make) {
  std::vector<Case> cases;
  size_t n = 0, k = 0;
  for (int64_t rows : oddRows)
    for (int i = 0; i < 3; ++i)
      cases.push_back(make(rows, oddColumns[n++ % oddColumns.size()],
                           oddSums[k++ % oddSums.size()]));
  return cases;
}
} // namespace

TEST(Contraction, PlainProducts) {
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    return dotCase(numbered("plain", {m, n, k}), {m, k}, {k, n}, {}, {}, {1},
                   {0});
  }));
}

TEST(Contraction, TransposedRight) {
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    return dotCase(numbered("right", {m, n, k}), {m, k}, {n, k}, {}, {}, {1},
                   {1});
  }));
}

TEST(Contraction, TransposedLeft) {
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    return dotCase(numbered("left", {m, n, k}), {k, m}, {k, n}, {}, {}, {0},
                   {0});
  }));
}

TEST(Contraction, Panels) {
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    return packed(
        dotCase(numbered("plain", {m, n, k}), {m, k}, {k, n}, {}, {}, {1}, {0}),
        1);
  }));
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    return packed(dotCase(numbered("right", {m, n, k}), {m, k}, {n, k}, {}, {},
                          {1}, {1}, Epilogue::BiasRelu),
                  0);
  }));
}

// If the remaining columns fill half a vector, two rows of a tile share a
// register.
TEST(Contraction, PanelsThatEndInHalfAVector) {
  std::vector<Case> cases;
  // Each number of columns is combined with each depth in one of the three
  // forms. All combinations would be two hundred functions.
  const int64_t depths[] = {5, 64, 300};
  size_t turn = 0;
  for (int64_t columns : {12, 20, 24, 28, 40, 56, 88, 120}) {
    auto add = [&](const char *name, size_t form, int64_t rows,
                   Epilogue epilogue, Unknown unknown) {
      int64_t sums = depths[(turn + form) % std::size(depths)];
      std::string function = unknown == Unknown::None
                                 ? numbered(name, {rows, columns, sums})
                                 : numbered(name, {columns, sums});
      cases.push_back(packed(dotCase(function, {rows, sums}, {sums, columns},
                                     {}, {}, {1}, {0}, epilogue, unknown),
                             1));
    };
    for (int64_t rows : {1, 2, 3, 5, 7, 9})
      add("known", 0, rows, Epilogue::None, Unknown::None);
    // Deep enough to read its sums from the stack.
    add("finished", 1, 9, Epilogue::BiasHardSwish, Unknown::None);
    // One function for all numbers of rows.
    for (int64_t rows : {1, 2, 3, 4, 5, 6, 7, 9, 13, 27}) {
      add("open", 2, rows, Epilogue::None, Unknown::Rows);
      if (rows > 1)
        cases.back().text.clear();
    }
    ++turn;
  }
  check(cases);
}

TEST(Contraction, PanelsOfManySums) {
  std::vector<Case> cases;
  for (int64_t rows : {0, 1, 2, 3, 4, 5, 8, 9, 13, 40})
    for (int64_t sums : {128, 300, 512})
      cases.push_back(
          packed(dotCase(numbered("deep", {rows, sums}), {rows, sums},
                         {sums, 150}, {}, {}, {1}, {0}),
                 1));
  // Panels that do not fit the L2 cache.
  auto makeLong = [&](const char *name, int64_t sums, Epilogue epilogue,
                      Unknown unknown) {
    cases.push_back(
        packed(dotCase(numbered(name, {sums}), {21, sums}, {sums, 50}, {}, {},
                       {1}, {0}, epilogue, unknown),
               1));
  };
  makeLong("long", 8500, Epilogue::None, Unknown::None);
  makeLong("long_dynamic", 8500, Epilogue::None, Unknown::Rows);
  makeLong("long_finished", 8832, Epilogue::BiasRelu, Unknown::None);
  cases.push_back(
      packed(dotCase("none", {7, 0}, {0, 150}, {}, {}, {1}, {0}), 1));
  check(cases);
}

TEST(Contraction, PanelsAndDynamicRows) {
  std::vector<Case> cases;
  for (int64_t rows : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 23, 101})
    for (int64_t sums : {33, 600})
      cases.push_back(packed(dotCase(numbered("rows", {rows, sums}),
                                     {rows, sums}, {sums, 150}, {}, {}, {1},
                                     {0}, Epilogue::None, Unknown::Rows),
                             1));
  check(cases);
}

TEST(Contraction, PanelsInOtherForms) {
  std::vector<Case> cases = {
      packed(dotCase("batch", {3, 17, 20}, {3, 20, 33}, {0}, {0}, {2}, {1}), 2),
      packed(dotCase("rows", {4, 5, 200}, {200, 18}, {}, {}, {2}, {0}), 1),
      packed(dotCase("sums", {6, 4, 50}, {4, 50, 18}, {}, {}, {1, 2}, {0, 1}),
             2),
      packed(dotCase("crossed", {6, 4, 5}, {18, 5, 4}, {}, {}, {1, 2}, {2, 1}),
             0),
      packed(dotCase("covector", {33}, {33, 70}, {}, {}, {0}, {0}), 1),
      packed(dotCase("across", {200, 70}, {200, 50}, {}, {}, {0}, {0}), 1),
      packed(dotCase("narrow", {70, 33}, {33, 2}, {}, {}, {1}, {0}), 1),
  };
  check(cases);
}

TEST(Contraction, Integers) {
  check(oddCases([](int64_t m, int64_t n, int64_t k) {
    // The right operand with columns contiguous, or transposed.
    bool across = m % 2;
    return dotCase(numbered("integers", {m, n, k}), {m, k},
                   across ? Dims{n, k} : Dims{k, n}, {}, {}, {1}, {across},
                   Epilogue::None, Unknown::None, Element::Integer);
  }));
}

TEST(Contraction, DynamicExtents) {
  std::vector<Case> cases;
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 50, 17},
                         {17, 65, 129},
                         {9, 1, 5},
                         {130, 129, 3},
                         {7, 16, 0},
                         {0, 3, 3}}) {
    cases.push_back(dotCase(numbered("plain", {m, n, k}), {m, k}, {k, n}, {},
                            {}, {1}, {0}, Epilogue::None, Unknown::All));
    cases.push_back(dotCase(numbered("right", {m, n, k}), {m, k}, {n, k}, {},
                            {}, {1}, {1}, Epilogue::None, Unknown::All));
  }
  check(cases);
}

TEST(Contraction, DynamicRows) {
  std::vector<Case> cases;
  for (int64_t rows : {1, 5, 23, 24, 101}) {
    cases.push_back(dotCase(numbered("small", {rows}), {rows, 33}, {33, 70}, {},
                            {}, {1}, {0}, Epilogue::None, Unknown::Rows));
    cases.push_back(dotCase(numbered("large", {rows}), {rows, 600}, {600, 350},
                            {}, {}, {1}, {0}, Epilogue::None, Unknown::Rows));
  }
  check(cases);
}

TEST(Contraction, BatchesAndSeveralDimensions) {
  check({
      dotCase("batch", {3, 17, 20}, {3, 20, 33}, {0}, {0}, {2}, {1}),
      dotCase("heads", {2, 9, 3, 32}, {2, 11, 3, 32}, {0, 2}, {0, 2}, {3}, {3}),
      dotCase("values", {2, 3, 9, 11}, {2, 11, 3, 32}, {0, 1}, {0, 2}, {3},
              {1}),
      dotCase("rows", {4, 5, 20}, {20, 18}, {}, {}, {2}, {0}),
      dotCase("columns", {6, 20}, {20, 3, 18}, {}, {}, {1}, {0}),
      dotCase("sums", {6, 4, 5}, {4, 5, 18}, {}, {}, {1, 2}, {0, 1}),
      dotCase("crossed", {6, 4, 5}, {5, 4, 18}, {}, {}, {1, 2}, {1, 0}),
      dotCase("crossed_packed", {6, 4, 5}, {18, 5, 4}, {}, {}, {1, 2}, {2, 1}),
      dotCase("vector", {70, 33}, {33}, {}, {}, {1}, {0}),
      dotCase("covector", {33}, {33, 70}, {}, {}, {0}, {0}),
      dotCase("scalar", {33}, {33}, {}, {}, {0}, {0}),
      dotCase("outer", {5}, {19}, {}, {}, {}, {}),
      dotCase("narrow", {70, 33}, {33, 2}, {}, {}, {1}, {0}),
      dotCase("one_column", {70, 33}, {33, 1}, {}, {}, {1}, {0}),
      dotCase("large", {50, 600}, {600, 350}, {}, {}, {1}, {0}),
      dotCase("deep", {9, 1000}, {70, 1000}, {}, {}, {1}, {1}),
  });
}

TEST(Contraction, Epilogues) {
  check({
      dotCase("plain", {50, 17}, {17, 65}, {}, {}, {1}, {0},
              Epilogue::BiasRelu),
      dotCase("right", {50, 17}, {65, 17}, {}, {}, {1}, {1},
              Epilogue::BiasRelu),
      dotCase("narrow", {50, 17}, {17, 2}, {}, {}, {1}, {0},
              Epilogue::BiasRelu),
      dotCase("row", {1, 17}, {17, 300}, {}, {}, {1}, {0}, Epilogue::BiasRelu),
  });
}
