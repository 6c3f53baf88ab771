// Tests how the text of a window is cut at its times. Ids from 100 on are times
// of 0.02 s.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

// As in runtime/transcribe/transcriber.h, which is C only.
extern "C" {
struct tenon_piece {
  size_t first, count;
  double start, end;
};
size_t tenon_cut_segments(const int64_t *ids, size_t count,
                          int64_t first_timestamp, int64_t width,
                          tenon_piece *pieces, int64_t *frames);
}

namespace {

struct Cut {
  std::vector<tenon_piece> pieces;
  int64_t frames;
};

Cut cut(const std::vector<int64_t> &ids, int64_t width = 3000) {
  Cut result;
  result.pieces.resize(ids.size() + 1);
  result.pieces.resize(tenon_cut_segments(ids.data(), ids.size(), 100, width,
                                          result.pieces.data(),
                                          &result.frames));
  return result;
}

void expectPiece(const tenon_piece &piece, size_t first, size_t count,
                 double start, double end) {
  EXPECT_EQ(piece.first, first);
  EXPECT_EQ(piece.count, count);
  EXPECT_NEAR(piece.start, start, 1e-12);
  EXPECT_NEAR(piece.end, end, 1e-12);
}

TEST(Segments, AreWholeWithoutAPair) {
  Cut none = cut({});
  ASSERT_EQ(none.pieces.size(), 1u);
  expectPiece(none.pieces[0], 0, 0, 0, 30);
  EXPECT_EQ(none.frames, 3000);
  expectPiece(cut({1, 2, 3}).pieces[0], 0, 3, 0, 30);
  // The last time counts unless it is 0.00; the width is rounded down.
  expectPiece(cut({100, 1, 2}).pieces[0], 0, 3, 0, 30);
  expectPiece(cut({100, 1, 2}, 1001).pieces[0], 0, 3, 0, 10);
  Cut timed = cut({150, 1, 200, 2});
  expectPiece(timed.pieces[0], 0, 4, 0, 2);
  EXPECT_EQ(timed.frames, 3000);
  EXPECT_EQ(cut({100, 1, 200}, 77).frames, 77);
}

TEST(Segments, EndAtTheLastPairIfTheTextGoesOn) {
  Cut two = cut({100, 1, 150, 150, 2, 3, 220, 230, 4});
  ASSERT_EQ(two.pieces.size(), 2u);
  expectPiece(two.pieces[0], 0, 3, 0, 1);
  // The last piece has both times of its pair, and ends at the first one.
  expectPiece(two.pieces[1], 3, 5, 1, 2.4);
  EXPECT_EQ(two.frames, 240);
  Cut pair = cut({100, 1, 150, 160});
  ASSERT_EQ(pair.pieces.size(), 1u);
  expectPiece(pair.pieces[0], 0, 4, 0, 1);
  EXPECT_EQ(pair.frames, 100);
}

TEST(Segments, TakeAllOfTheWindowAfterASingleTime) {
  Cut two = cut({100, 1, 150, 160, 2, 220}, 2990);
  ASSERT_EQ(two.pieces.size(), 2u);
  expectPiece(two.pieces[0], 0, 3, 0, 1);
  expectPiece(two.pieces[1], 3, 3, 1.2, 2.4);
  EXPECT_EQ(two.frames, 2990);
}

TEST(Segments, MayHaveNoText) {
  Cut times = cut({100, 150, 160});
  ASSERT_EQ(times.pieces.size(), 2u);
  expectPiece(times.pieces[0], 0, 1, 0, 0);
  expectPiece(times.pieces[1], 1, 2, 1, 1);
  EXPECT_EQ(times.frames, 100);
}

} // namespace
