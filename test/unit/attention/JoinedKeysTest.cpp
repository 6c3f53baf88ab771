// Tests attention that concatenates keys and values itself. The joined tensors
// must equal their parts, with and without non-temporal stores, at any
// alignment. The result must have the bits of attention on tensors joined
// before.
#include "test/unit/contraction/JitGraph.h"
#include "test/unit/contraction/Tensors.h"

#include "gtest/gtest.h"

using namespace tenon;

namespace {

constexpr int64_t heads = 8;
using Bytes = std::vector<char>;

struct Case {
  int64_t earlier, later, queries, depth;
  bool unknown = false;    ///< the number of keys is dynamic
  int64_t group = 1;       ///< query heads that share a head of the keys
  bool causal = false;     ///< the first query sees only the first key
  bool keysAlone = false;  ///< values come already joined
  bool twice = false;      ///< the joined keys are two outputs of the model
  int64_t skippedRows = 0; ///< earlier keys are a slice after these rows
  int64_t skippedColumns = 0;
  std::string element = "f32";

  int64_t keys() const { return earlier + later; }
  int64_t bytes() const { return element == "f32" ? 4 : 2; }
  Dims queryDims() const { return {1, heads * group, queries, depth}; }
  Dims dims(int64_t rows) const { return {1, heads, rows, depth}; }
  Dims earlierDims() const {
    return {1, heads, earlier + skippedRows, depth + skippedColumns};
  }
};

std::string typeOf(const Case &c, const Dims &dims, bool unknown) {
  std::string text = "tensor<";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (unknown && i == 2 ? "?" : std::to_string(dims[i])) + "x";
  return text + c.element + ">";
}

/// Text that makes `name` the concatenation of `a` and `b`; `a` may be sliced.
std::string joinOf(const Case &c, const std::string &name, std::string a,
                   const std::string &b) {
  std::string earlier = typeOf(c, c.dims(c.earlier), c.unknown), text;
  if (c.skippedRows || c.skippedColumns) {
    std::string slice = a + "s";
    text = "  " + slice + " = tenon.slice " + a + " offsets [0, 0, " +
           std::to_string(c.skippedRows) + ", " +
           std::to_string(c.skippedColumns) + "] sizes [1, 8, " +
           std::to_string(c.earlier) + ", " + std::to_string(c.depth) +
           "] strides [1, 1, 1, 1] : (" + typeOf(c, c.earlierDims(), false) +
           ") -> " + earlier + "\n";
    a = slice;
  }
  return text + "  " + name + " = tenon.concatenate " + a + ", " + b +
         " dim 2 : (" + earlier + ", " + typeOf(c, c.dims(c.later), c.unknown) +
         ") -> " + typeOf(c, c.dims(c.keys()), c.unknown) + "\n";
}

/// @whole takes keys and values, @joined and @streamed take their parts.
/// @streamed also has a product without rows, whose weights make the kernel use
/// non-temporal stores.
std::string textOf(const Case &c) {
  std::string query = typeOf(c, c.queryDims(), false),
              earlier = typeOf(c, c.earlierDims(), c.unknown),
              later = typeOf(c, c.dims(c.later), c.unknown),
              keys = typeOf(c, c.dims(c.keys()), c.unknown),
              table = "tensor<8192x4096xf32>", rows = "tensor<?x8192xf32>",
              none = "tensor<?x4096xf32>";
  std::string attend =
      std::string("  %n = arith.constant 0 : index\n"
                  "  %0 = tenon.attention %q, %k, %v") +
      (c.causal ? " causal %n fill -1.0e+09" : "") +
      " order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3]"
      " scale 0.25 : (" +
      query + ", " + keys + ", " + keys + (c.causal ? ", index" : "") +
      ") -> " + query + "\n";
  std::string parts = "%q: " + query + ", %a: " + earlier + ", %b: " + later,
              results = "%0, %k", types = query + ", " + keys,
              body = joinOf(c, "%k", "%a", "%b");
  if (c.keysAlone) {
    parts += ", %v: " + keys;
  } else {
    parts += ", %c: " + earlier + ", %d: " + later;
    body += joinOf(c, "%v", "%c", "%d");
    results += ", %v";
    types += ", " + keys;
  }
  if (c.twice) {
    results += ", %k";
    types += ", " + keys;
  }
  body += attend;
  return "tenon.weight @w : " + table +
         " from #tenon.source<\"none\", 0, 134217728>\n"
         "func.func @whole(%q: " +
         query + ", %k: " + keys + ", %v: " + keys + ") -> " + query + " {\n" +
         attend + "  return %0 : " + query + "\n}\nfunc.func @joined(" + parts +
         ") -> (" + types + ") {\n" + body + "  return " + results + " : " +
         types + "\n}\nfunc.func @streamed(" + parts + ", %x: " + rows +
         ") -> (" + types + ", " + none + ") {\n" + body +
         "  %w = tenon.get_weight @w : " + table +
         "\n  %y = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : "
         "(" +
         rows + ", " + table + ") -> " + none + "\n  return " + results +
         ", %y : " + types + ", " + none + "\n}\n";
}

/// Random elements of a tensor; a bf16 element is the upper half of a float.
Bytes randomElements(const Case &c, const Dims &dims, uint32_t seed) {
  Bytes values;
  for (float value : randomFloats(count(dims), seed)) {
    auto end = reinterpret_cast<char *>(&value + 1);
    values.insert(values.end(), end - c.bytes(), end);
  }
  return values;
}

Bytes joined(const Case &c, const Bytes &earlier, const Bytes &later) {
  Bytes result;
  auto append = [&](const Bytes &part, int64_t row, int64_t columns) {
    int64_t skipped = columns - c.depth;
    auto from = part.begin() + (row * columns + skipped) * c.bytes();
    result.insert(result.end(), from, from + c.depth * c.bytes());
  };
  for (int64_t h = 0; h < heads; ++h) {
    for (int64_t r = 0; r < c.earlier; ++r)
      append(earlier, h * (c.earlier + c.skippedRows) + c.skippedRows + r,
             c.depth + c.skippedColumns);
    for (int64_t r = 0; r < c.later; ++r)
      append(later, h * c.later + r, c.depth);
  }
  return result;
}

/// Memory that begins `offset` bytes after a cache line; a kernel must not
/// write outside it.
struct Output {
  Output(const Bytes &expected, Dims dims, int64_t offset)
      : expected(expected), dims(std::move(dims)),
        all(expected.size() + 128, 77), start(offset) {
    while (reinterpret_cast<uintptr_t>(all.data() + start) % 64 !=
           size_t(offset))
      ++start;
  }
  char *data() { return all.data() + start; }
  void check(const std::string &what) {
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), data())) << what;
    for (int64_t i = 0; i < int64_t(all.size()); ++i)
      if (i < start || i >= start + int64_t(expected.size()))
        ASSERT_EQ(all[i], 77) << what << ": written outside, " << i;
  }
  const Bytes &expected;
  Dims dims;
  Bytes all;
  int64_t start;
};

void check(const Case &c) {
  Bytes query = randomElements(c, c.queryDims(), 1),
        a = randomElements(c, c.earlierDims(), 2),
        b = randomElements(c, c.dims(c.later), 3),
        earlierValues = randomElements(c, c.earlierDims(), 4),
        laterValues = randomElements(c, c.dims(c.later), 5),
        keys = joined(c, a, b), values = joined(c, earlierValues, laterValues),
        result(query.size());
  Dims all = c.dims(c.keys());
  for (JitTarget target : jitTargets()) {
    JitGraph graph(textOf(c), target);
    graph.run("whole",
              {{query.data(), c.queryDims()},
               {keys.data(), all},
               {values.data(), all}},
              {result.data(), c.queryDims()});
    for (std::string function : {"joined", "streamed"})
      for (int64_t offset : {0, 1, 4, 15}) {
        int64_t place = offset * c.bytes();
        std::vector<Output> outputs;
        outputs.reserve(4);
        outputs.emplace_back(result, c.queryDims(), place);
        outputs.emplace_back(keys, all, place);
        std::vector<JitTensor> in = {{query.data(), c.queryDims()},
                                     {a.data(), c.earlierDims()},
                                     {b.data(), c.dims(c.later)}},
                               out;
        if (c.keysAlone) {
          in.push_back({values.data(), all});
        } else {
          in.push_back({earlierValues.data(), c.earlierDims()});
          in.push_back({laterValues.data(), c.dims(c.later)});
          outputs.emplace_back(values, all, place);
        }
        if (c.twice)
          outputs.emplace_back(keys, all, place);
        for (Output &output : outputs)
          out.push_back({output.data(), output.dims});
        if (function == "streamed") {
          in.push_back({query.data(), {0, 8192}});
          out.push_back({query.data(), {0, 4096}});
        }
        graph.runAll(function, in, out, 3);
        for (size_t i = 0; i < outputs.size(); ++i)
          outputs[i].check(function + " of " + std::to_string(c.earlier) +
                           " + " + std::to_string(c.later) + " on " +
                           target.cpu + ", offset " + std::to_string(offset) +
                           ", output " + std::to_string(i));
      }
  }
}

TEST(JoinedKeys, OneNewKey) {
  for (int64_t earlier : {1, 63, 64, 100, 128})
    check({earlier, 1, 1, 64});
}

TEST(JoinedKeys, SeveralQueriesAndOddDepth) {
  check({130, 3, 3, 64});
  check({70, 70, 4, 20});
  check({65, 2, 16, 5});
}

TEST(JoinedKeys, UnknownExtents) {
  for (int64_t earlier : {0, 1, 64, 191})
    check({earlier, earlier == 64 ? 64 : 1, 1, 16, true});
  check({129, 2, 5, 24, true});
}

TEST(JoinedKeys, HalfOfTheBytes) {
  for (int64_t depth : {64, 24})
    check({.earlier = 130,
           .later = 1,
           .queries = 1,
           .depth = depth,
           .element = "bf16"});
}

TEST(JoinedKeys, QueriesOfSeveralHeads) {
  check({.earlier = 130, .later = 2, .queries = 2, .depth = 16, .group = 3});
}

TEST(JoinedKeys, BlocksThatNoQuerySees) {
  check(
      {.earlier = 200, .later = 3, .queries = 3, .depth = 16, .causal = true});
}

TEST(JoinedKeys, SlicesOfEarlierOnes) {
  Case c{.earlier = 130, .later = 1, .queries = 1, .depth = 16};
  c.skippedRows = 3;
  check(c);
  c.skippedColumns = 16;
  check(c);
  c.skippedRows = 0;
  check(c);
}

TEST(JoinedKeys, KeysAlone) {
  check({.earlier = 130,
         .later = 1,
         .queries = 1,
         .depth = 16,
         .keysAlone = true});
}

TEST(JoinedKeys, ReturnedTwice) {
  check({.earlier = 130, .later = 1, .queries = 1, .depth = 16, .twice = true});
}

} // namespace
