// Element types for tests of kernels that only move elements.
#ifndef TENON_TEST_UNIT_ROWS_MOVEDELEMENTS_H
#define TENON_TEST_UNIT_ROWS_MOVEDELEMENTS_H

#include <cstddef>

namespace tenon {

struct MovedElement {
  const char *name;
  size_t bytes;
};
constexpr MovedElement movedElements[] = {{"f32", 4}, {"f64", 8}, {"f16", 2},
                                          {"i8", 1},  {"i16", 2}, {"i32", 4},
                                          {"i64", 8}};

} // namespace tenon

#endif // TENON_TEST_UNIT_ROWS_MOVEDELEMENTS_H
