// Tests attention over caches: entries with lengths and offsets of their own,
// keys found by a table, and keys and values in bf16. A row has the bits of the
// same row computed alone, from its keys only, and these bits are compared with
// the definition in f64. Elements that do not exist are NaN, so that reading
// one shows in the result.
#include "test/unit/contraction/JitGraph.h"
#include "test/unit/contraction/Tensors.h"

#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tenon;

namespace {

constexpr double scale = 0.25;

/// The sizes that a kernel is compiled for.
struct Model {
  int64_t heads, group, depth, valueDepth;
  bool narrow = false; ///< keys and values are bf16
  bool turned = false; ///< queries have rows before heads

  const char *cached() const { return narrow ? "bf16" : "f32"; }
};

/// Entries of queries. Entry b has rows at the positions lengths[b] - rows
/// and after, so that its last row sees all keys.
struct Batch {
  std::vector<int64_t> lengths;
  int64_t rows = 1;
  int64_t capacity = 0;  ///< positions of the cache
  bool byTable = false;  ///< rows of the cache are scattered among entries
  bool causal = false;   ///< rows see different keys
  bool separate = false; ///< each row of a block stands in another entry

  int64_t entries() const { return int64_t(lengths.size()); }
  int64_t stored() const { return byTable ? entries() + 2 : entries(); }
};

float asBf16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits &= 0xFFFF0000u;
  std::memcpy(&x, &bits, 4);
  return x;
}

std::string tensor(const std::string &dims, const std::string &element) {
  return "tensor<" + dims + "x" + element + ">";
}

std::string number(int64_t value) { return std::to_string(value); }

/// A function with one attention; `rows` and `depths` are extents as text.
std::string function(const Model &m, const std::string &name,
                     const std::string &rows, bool causal, bool lengths,
                     bool table, bool openDepth = false) {
  std::string heads = number(m.heads * m.group),
              depth = openDepth ? "?" : number(m.depth),
              valueDepth = openDepth ? "?" : number(m.valueDepth),
              before = m.turned ? "?x" + rows + "x" + heads
                                : "?x" + heads + "x" + rows,
              query = tensor(before + "x" + depth, "f32"),
              result = tensor(before + "x" + valueDepth, "f32"),
              cache = "?x" + number(m.heads) + "x?x",
              key = tensor(cache + depth, m.cached()),
              value = tensor(cache + valueDepth, m.cached()),
              parameters = "%q: " + query + ", %k: " + key + ", %v: " + value,
              types = query + ", " + key + ", " + value, operands;
  auto add = [&](const char *keyword, const char *operand, const char *type) {
    parameters += std::string(", ") + operand + ": " + type;
    types += std::string(", ") + type;
    operands += std::string(" ") + keyword + " " + operand;
  };
  if (causal)
    add("causal", "%c", "tensor<?xi64>");
  if (lengths)
    add("lengths", "%n", "tensor<?xi64>");
  if (table)
    add("table", "%t", "tensor<?x?xi64>");
  if (causal)
    operands += " fill -1.0e+30";
  std::string order = m.turned ? "[0, 2, 1, 3]" : "[0, 1, 2, 3]";
  return "func.func @" + name + "(" + parameters + ") -> " + result +
         " {\n  %0 = tenon.attention %q, %k, %v" + operands + " order " +
         order + " x [0, 1, 2, 3] x [0, 1, 2, 3] to " + order +
         " scale 0.25 : (" + types + ") -> " + result +
         "\n  return %0 : " + result + "\n}\n";
}

/// @alone has no operands of a cache and one row. @NAME_table also reads a
/// table.
std::string textOf(const Model &m, const std::vector<std::string> &names) {
  std::string text = function(m, "alone", "1", false, false, false);
  for (const std::string &name : names)
    for (bool table : {false, true}) {
      bool one = name.find("decode") == 0;
      text += function(m, name + (table ? "_table" : ""),
                       one             ? "1"
                       : name == "few" ? "3"
                                       : "?",
                       name != "decode", true, table, name == "general");
    }
  return text;
}

/// Queries, keys and values of each entry, without a cache.
struct Numbers {
  Numbers(const Model &m, const Batch &batch, uint32_t seed)
      : queries(randomFloats(
            batch.entries() * batch.rows * m.heads * m.group * m.depth, seed)) {
    for (int64_t b = 0; b < batch.entries(); ++b) {
      int64_t rows = m.heads * batch.lengths[b];
      keys.push_back(randomFloats(rows * m.depth, seed + 2 * b + 1));
      values.push_back(randomFloats(rows * m.valueDepth, seed + 2 * b + 2));
      if (m.narrow)
        for (auto *list : {&keys.back(), &values.back()})
          std::transform(list->begin(), list->end(), list->begin(), asBf16);
    }
  }
  /// Queries as [entries, rows, heads, depth]; keys and values of an entry as
  /// [heads, length, depth].
  std::vector<float> queries;
  std::vector<std::vector<float>> keys, values;
};

/// Elements in the cache's type.
std::vector<char> stored(const Model &m, const std::vector<float> &floats) {
  std::vector<char> bytes;
  for (const float &x : floats) {
    auto end = reinterpret_cast<const char *>(&x + 1);
    bytes.insert(bytes.end(), end - (m.narrow ? 2 : 4), end);
  }
  return bytes;
}

/// The entry of the cache that has row `k` of entry `b`.
int64_t entryOf(const Batch &batch, int64_t b, int64_t k) {
  if (!batch.byTable)
    return b;
  // Each block has its own entry; in separate ones each row has.
  int64_t step = batch.separate || k / 64 % 3 == 2 ? k : k / 64;
  return (b + step) % batch.stored();
}

/// A cache [stored, heads, capacity, depth] with NaN wherever no key is.
std::vector<float> cacheOf(const Model &m, const Batch &batch,
                           const std::vector<std::vector<float>> &rows,
                           int64_t depth) {
  std::vector<float> cache(batch.stored() * m.heads * batch.capacity * depth,
                           std::numeric_limits<float>::quiet_NaN());
  for (int64_t b = 0; b < batch.entries(); ++b)
    for (int64_t h = 0; h < m.heads; ++h)
      for (int64_t k = 0; k < batch.lengths[b]; ++k) {
        int64_t to =
            ((entryOf(batch, b, k) * m.heads + h) * batch.capacity + k) * depth;
        auto from = rows[b].begin() + (h * batch.lengths[b] + k) * depth;
        std::copy(from, from + depth, cache.begin() + to);
      }
  return cache;
}

/// Row `row` of query head `head` of entry `b`, from the first `count` keys.
std::vector<double> expectedRow(const Model &m, const Batch &batch,
                                const Numbers &numbers, int64_t b, int64_t row,
                                int64_t head, int64_t count) {
  const float *query =
      &numbers.queries[((b * batch.rows + row) * m.heads * m.group + head) *
                       m.depth];
  int64_t first = head / m.group * batch.lengths[b];
  std::vector<double> scores(count), result(m.valueDepth);
  double greatest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t k = 0; k < count; ++k) {
    for (int64_t d = 0; d < m.depth; ++d)
      scores[k] +=
          double(query[d]) * numbers.keys[b][(first + k) * m.depth + d];
    greatest = std::max(greatest, scores[k] *= scale);
  }
  for (double &score : scores)
    sum += score = std::exp(score - greatest);
  for (int64_t k = 0; k < count; ++k)
    for (int64_t d = 0; d < m.valueDepth; ++d)
      result[d] +=
          scores[k] / sum * numbers.values[b][(first + k) * m.valueDepth + d];
  return result;
}

/// The keys that row `row` of entry `b` sees.
int64_t seenBy(const Batch &batch, int64_t b, int64_t row) {
  return batch.lengths[b] - batch.rows + row + 1;
}

/// All rows as [entries, rows, heads, value depth], each computed alone from a
/// cache that has nothing else. Expects them to be near the definition.
std::vector<float> rowsAlone(const JitGraph &graph, const Model &m,
                             const Batch &batch, const Numbers &numbers) {
  int64_t heads = m.heads * m.group;
  std::vector<float> result;
  for (int64_t b = 0; b < batch.entries(); ++b)
    for (int64_t r = 0; r < batch.rows; ++r) {
      int64_t count = seenBy(batch, b, r);
      auto cut = [&](const std::vector<float> &rows, int64_t depth) {
        std::vector<float> part;
        for (int64_t h = 0; h < m.heads; ++h) {
          auto from = rows.begin() + h * batch.lengths[b] * depth;
          part.insert(part.end(), from, from + count * depth);
        }
        return stored(m, part);
      };
      std::vector<char> keys = cut(numbers.keys[b], m.depth),
                        values = cut(numbers.values[b], m.valueDepth);
      std::vector<float> query(
          numbers.queries.begin() + (b * batch.rows + r) * heads * m.depth,
          numbers.queries.begin() + (b * batch.rows + r + 1) * heads * m.depth),
          row(heads * m.valueDepth);
      auto dims = [&](int64_t depth) {
        return m.turned ? Dims{1, 1, heads, depth} : Dims{1, heads, 1, depth};
      };
      graph.run("alone",
                {{query.data(), dims(m.depth)},
                 {keys.data(), {1, m.heads, count, m.depth}},
                 {values.data(), {1, m.heads, count, m.valueDepth}}},
                {row.data(), dims(m.valueDepth)});
      for (int64_t h = 0; h < heads; ++h) {
        std::vector<double> expected =
            expectedRow(m, batch, numbers, b, r, h, count);
        for (int64_t d = 0; d < m.valueDepth; ++d)
          EXPECT_NEAR(row[h * m.valueDepth + d], expected[d], 4e-6)
              << count << " keys";
      }
      result.insert(result.end(), row.begin(), row.end());
    }
  return result;
}

/// [entries, rows, heads, depth] as the tensor of queries and of the result.
std::vector<float> placed(const Model &m, const Batch &batch,
                          const std::vector<float> &rows, int64_t depth,
                          bool back) {
  if (m.turned)
    return rows;
  int64_t heads = m.heads * m.group;
  std::vector<float> result(rows.size());
  for (int64_t b = 0; b < batch.entries(); ++b)
    for (int64_t r = 0; r < batch.rows; ++r)
      for (int64_t h = 0; h < heads; ++h) {
        int64_t apart = ((b * heads + h) * batch.rows + r) * depth,
                together = ((b * batch.rows + r) * heads + h) * depth;
        auto from = rows.begin() + (back ? apart : together);
        std::copy(from, from + depth,
                  result.begin() + (back ? together : apart));
      }
  return result;
}

void check(const JitGraph &graph, const Model &m, const Batch &batch,
           const Numbers &numbers, const std::vector<float> &alone,
           const std::string &name, const std::string &where) {
  int64_t heads = m.heads * m.group;
  std::vector<float> query = placed(m, batch, numbers.queries, m.depth, false);
  std::vector<char> keys = stored(m, cacheOf(m, batch, numbers.keys, m.depth)),
                    values = stored(
                        m, cacheOf(m, batch, numbers.values, m.valueDepth));
  std::vector<int64_t> offsets, table, lengths = batch.lengths;
  for (int64_t b = 0; b < batch.entries(); ++b) {
    offsets.push_back(batch.lengths[b] - batch.rows);
    for (int64_t k = 0; k < batch.capacity; ++k)
      table.push_back(k < batch.lengths[b] ? entryOf(batch, b, k)
                      : k % 2              ? int64_t(1) << 40
                                           : -5);
    if (batch.lengths[b] == batch.capacity)
      lengths[b] += 1000; // more than there are
  }
  auto dims = [&](int64_t depth) {
    return m.turned ? Dims{batch.entries(), batch.rows, heads, depth}
                    : Dims{batch.entries(), heads, batch.rows, depth};
  };
  auto cacheDims = [&](int64_t depth) {
    return Dims{batch.stored(), m.heads, batch.capacity, depth};
  };
  std::vector<JitTensor> inputs = {{query.data(), dims(m.depth)},
                                   {keys.data(), cacheDims(m.depth)},
                                   {values.data(), cacheDims(m.valueDepth)}};
  if (batch.causal)
    inputs.push_back({offsets.data(), {batch.entries()}});
  inputs.push_back({lengths.data(), {batch.entries()}});
  if (batch.byTable)
    inputs.push_back({table.data(), {batch.entries(), batch.capacity}});
  std::vector<float> result(alone.size());
  for (int64_t step : {1, 3}) {
    graph.run(name, inputs, {result.data(), dims(m.valueDepth)}, step);
    std::vector<float> rows =
        placed(m, batch, result, m.valueDepth, /*back=*/true);
    EXPECT_EQ(std::memcmp(rows.data(), alone.data(), rows.size() * 4), 0)
        << where << ", @" << name << (batch.separate ? ", separate" : "")
        << ", tasks by " << step;
  }
}

/// Expects equal bits for all functions, capacities and tables.
void check(const Model &m, const std::vector<int64_t> &lengths, int64_t rows,
           const std::vector<std::string> &names) {
  Batch batch{lengths, rows};
  Numbers numbers(m, batch, 7);
  std::vector<float> first;
  for (JitTarget target : jitTargets()) {
    JitGraph graph(textOf(m, names), target);
    std::vector<float> alone = rowsAlone(graph, m, batch, numbers);
    if (first.empty())
      first = alone;
    EXPECT_EQ(std::memcmp(first.data(), alone.data(), alone.size() * 4), 0)
        << target.cpu;
    int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    for (const std::string &name : names)
      for (int64_t spare : {0, 70})
        for (int table : {0, 1, 2}) {
          batch.capacity = longest + spare;
          batch.byTable = table > 0;
          batch.separate = table == 2;
          batch.causal = name != "decode";
          check(graph, m, batch, numbers, alone, name + (table ? "_table" : ""),
                std::string(target.cpu) + ", depth " + number(m.depth) +
                    ", capacity " + number(batch.capacity));
        }
  }
}

TEST(CachedKeys, OneRowOfEachEntry) {
  check({2, 1, 64, 64}, {1, 17, 64, 65, 128, 300}, 1,
        {"decode", "decode_causal", "prefill"});
  check({1, 1, 128, 128}, {63, 100, 191}, 1, {"decode"});
  check({3, 1, 8, 24}, {2, 66, 130}, 1, {"decode", "prefill"});
  check({2, 1, 20, 33}, {1, 64, 129}, 1, {"decode", "general"});
}

TEST(CachedKeys, HeadsShareKeys) {
  check({2, 4, 64, 64}, {5, 64, 200}, 1, {"decode", "decode_causal"});
  check({2, 2, 128, 128}, {1, 64, 200}, 1, {"decode", "decode_causal"});
  check({1, 2, 256, 64, true}, {50, 300}, 1, {"decode", "decode_causal"});
  check({1, 7, 80, 80, false, true}, {66, 1}, 1, {"decode", "general"});
}

TEST(CachedKeys, NarrowKeys) {
  check({2, 1, 64, 64, true}, {1, 65, 300}, 1, {"decode", "decode_causal"});
  check({2, 3, 96, 96, true}, {40, 129}, 1, {"decode"});
  check({1, 1, 24, 40, true}, {70, 3}, 1, {"decode", "general"});
}

TEST(CachedKeys, RowsOfAPrefill) {
  check({2, 1, 64, 64}, {90, 75, 300}, 75, {"prefill"});
  check({1, 3, 32, 16, false, true}, {70, 131}, 70, {"prefill"});
  check({1, 1, 16, 16, true}, {65, 200}, 65, {"prefill", "general"});
}

TEST(CachedKeys, SeveralNewRows) {
  check({2, 1, 64, 64}, {3, 64, 200}, 3, {"few"});
  check({2, 4, 16, 16, true, true}, {66, 130}, 3, {"few", "prefill"});
}

TEST(CachedKeys, EntriesWithoutKeys) {
  Model m{1, 1, 16, 16};
  for (JitTarget target : jitTargets()) {
    JitGraph graph(textOf(m, {"decode"}), target);
    std::vector<float> query(32, 1), cache(2 * 70 * 16, NAN), result(32, 5);
    std::vector<int64_t> lengths = {0, -3}, table(2 * 70, 9);
    for (std::string name : {"decode", "decode_table"}) {
      std::vector<JitTensor> inputs = {{query.data(), {2, 1, 1, 16}},
                                       {cache.data(), {2, 1, 70, 16}},
                                       {cache.data(), {2, 1, 70, 16}},
                                       {lengths.data(), {2}}};
      if (name != "decode")
        inputs.push_back({table.data(), {2, 70}});
      graph.run(name, inputs, {result.data(), {2, 1, 1, 16}});
      EXPECT_EQ(result, std::vector<float>(32, 0)) << name;
    }
  }
}

} // namespace
