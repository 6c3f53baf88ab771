// Keys and values that attention joins on its way: the joined tensors are what
// was joined, past the caches or not, wherever a host's memory begins; and the
// result has the bits of attention over tensors joined before.
#include "test/unit/contraction/JitGraph.h"

#include "gtest/gtest.h"
#include <cstring>

using namespace tenon;

namespace {

constexpr int64_t heads = 8;

struct Case {
  int64_t earlier, later, queries, depth;
  bool unknown; ///< how many keys there are is not known when compiling
  int64_t keys() const { return earlier + later; }
};

std::string tensor(int64_t rows, int64_t depth, bool unknown) {
  return "tensor<1x8x" + (unknown ? "?" : std::to_string(rows)) + "x" +
         std::to_string(depth) + "xf32>";
}

/// @whole takes keys and values, @joined and @streamed their parts. @streamed
/// has a product beside, of no rows, whose weights would drive everything else
/// out of the caches.
std::string textOf(const Case &c) {
  std::string query = tensor(c.queries, c.depth, false),
              earlier = tensor(c.earlier, c.depth, c.unknown),
              later = tensor(c.later, c.depth, c.unknown),
              keys = tensor(c.keys(), c.depth, c.unknown),
              table = "tensor<4096x4096xf32>", rows = "tensor<?x4096xf32>";
  auto join = [&](std::string name, std::string a, std::string b) {
    return "  " + name + " = tenon.concatenate " + a + ", " + b + " dim 2 : (" +
           earlier + ", " + later + ") -> " + keys + "\n";
  };
  std::string attend =
      "  %0 = tenon.attention %q, %k, %v"
      " order [0, 1, 2, 3] x [0, 1, 2, 3] x [0, 1, 2, 3] to [0, 1, 2, 3]"
      " scale 0.25 : (" +
      query + ", " + keys + ", " + keys + ") -> " + query + "\n";
  std::string parts = "%q: " + query + ", %a: " + earlier + ", %b: " + later +
                      ", %c: " + earlier + ", %d: " + later,
              all = query + ", " + keys + ", " + keys,
              body = join("%k", "%a", "%b") + join("%v", "%c", "%d") + attend;
  return "tenon.weight @w : " + table +
         " from #tenon.source<\"none\", 0, 67108864>\n"
         "func.func @whole(%q: " +
         query + ", %k: " + keys + ", %v: " + keys + ") -> " + query + " {\n" +
         attend + "  return %0 : " + query + "\n}\nfunc.func @joined(" + parts +
         ") -> (" + all + ") {\n" + body + "  return %0, %k, %v : " + all +
         "\n}\nfunc.func @streamed(" + parts + ", %x: " + rows + ") -> (" +
         all + ", " + rows + ") {\n" + body +
         "  %w = tenon.get_weight @w : " + table +
         "\n  %y = tenon.dot_general %x, %w batch [] x [] contract [1] x [0] : "
         "(" +
         rows + ", " + table + ") -> " + rows +
         "\n  return %0, %k, %v, %y : " + all + ", " + rows + "\n}\n";
}

std::vector<float> randomFloats(int64_t size, uint32_t seed) {
  std::vector<float> values(size);
  for (float &value : values) {
    seed = seed * 1664525u + 1013904223u;
    value = float(int32_t(seed)) / float(1u << 30);
  }
  return values;
}

std::vector<float> joined(const Case &c, const std::vector<float> &a,
                          const std::vector<float> &b) {
  std::vector<float> result;
  auto append = [&](const std::vector<float> &part, int64_t rows, int64_t h) {
    auto from = part.begin() + h * rows * c.depth;
    result.insert(result.end(), from, from + rows * c.depth);
  };
  for (int64_t h = 0; h < heads; ++h) {
    append(a, c.earlier, h);
    append(b, c.later, h);
  }
  return result;
}

/// Memory that begins `offset` elements behind a line of the cache; no kernel
/// may write outside of it.
struct Output {
  Output(int64_t size, int64_t offset)
      : size(size), all(size + 64, 12345.0f), start(offset) {
    while (reinterpret_cast<uintptr_t>(all.data() + start) % 64 !=
           size_t(offset) * 4)
      ++start;
  }
  float *data() { return all.data() + start; }
  void expect(const std::vector<float> &expected, const std::string &what) {
    EXPECT_EQ(std::memcmp(data(), expected.data(), size * 4), 0) << what;
    for (int64_t i = 0; i < int64_t(all.size()); ++i)
      if (i < start || i >= start + size)
        ASSERT_EQ(all[i], 12345.0f) << what << ": written outside, " << i;
  }
  int64_t size;
  std::vector<float> all;
  int64_t start;
};

void check(const Case &c) {
  std::vector<float> query = randomFloats(heads * c.queries * c.depth, 1),
                     parts[4];
  for (int i = 0; i < 4; ++i)
    parts[i] =
        randomFloats(heads * (i % 2 ? c.later : c.earlier) * c.depth, i + 2);
  std::vector<float> keys = joined(c, parts[0], parts[1]),
                     values = joined(c, parts[2], parts[3]),
                     result(query.size());
  auto dims = [&](int64_t rows) {
    return std::vector<int64_t>{1, heads, rows, c.depth};
  };
  for (JitTarget target : jitTargets()) {
    JitGraph graph(textOf(c), target);
    graph.run("whole",
              {{query.data(), dims(c.queries)},
               {keys.data(), dims(c.keys())},
               {values.data(), dims(c.keys())}},
              {result.data(), dims(c.queries)});
    for (std::string function : {"joined", "streamed"})
      for (int64_t offset : {0, 1, 4, 15}) {
        Output outputs[] = {{int64_t(query.size()), offset},
                            {int64_t(keys.size()), offset},
                            {int64_t(values.size()), offset}};
        std::vector<JitTensor> in = {{query.data(), dims(c.queries)},
                                     {parts[0].data(), dims(c.earlier)},
                                     {parts[1].data(), dims(c.later)},
                                     {parts[2].data(), dims(c.earlier)},
                                     {parts[3].data(), dims(c.later)}},
                               out = {{outputs[0].data(), dims(c.queries)},
                                      {outputs[1].data(), dims(c.keys())},
                                      {outputs[2].data(), dims(c.keys())}};
        if (function == "streamed") {
          in.push_back({query.data(), {0, 4096}});
          out.push_back({result.data(), {0, 4096}});
        }
        graph.runAll(function, in, out, 3);
        std::string what = function + " of " + std::to_string(c.earlier) +
                           " + " + std::to_string(c.later) + " on " +
                           target.cpu + ", offset " + std::to_string(offset);
        outputs[0].expect(result, what);
        outputs[1].expect(keys, what + ", keys");
        outputs[2].expect(values, what + ", values");
      }
  }
}

TEST(JoinedKeys, OneNewKey) {
  for (int64_t earlier : {1, 63, 64, 100, 128})
    check({earlier, 1, 1, 64, false});
}

TEST(JoinedKeys, SeveralQueriesAndOddDepth) {
  check({130, 3, 3, 64, false});
  check({70, 70, 4, 20, false});
  check({65, 2, 16, 5, false});
}

TEST(JoinedKeys, UnknownExtents) {
  for (int64_t earlier : {0, 1, 64, 191})
    check({earlier, earlier == 64 ? 64 : 1, 1, 16, true});
  check({129, 2, 5, 24, true});
}

} // namespace
