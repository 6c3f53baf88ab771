// A hand-written artifact with a version for CPUs and a device version, for
// tests of the runtime on a device.
#ifndef TENON_TEST_GPU_RUNTIMEMODEL_H
#define TENON_TEST_GPU_RUNTIMEMODEL_H

#include "runtime/tenon.h"

#include <string>
#include <vector>

namespace tenon::test {

/// Functions:
///   main      x [n] -> y [n]: 2 x + (0.5 1 1.5 2), over the weights
///   pick      x [n], index i64[k] -> y [k]; an index outside is a fault
///   repeat    value [], count i64[] (read by the host) -> y [count]
///   positive  x [n] -> y [at most n]: the elements above zero
///   keep      x [4] -> sum [4]: of all runs, from the state `sum`
///   cache     x [4] -> rows [r, 4]: the state `rows` after row 0 became x
///   host      x [n] -> y [n]: -x, computed by the host
///   send      bytes i64[] -> y u8[bytes]: bytes + 7, bytes + 8 ... modulo 256,
///             written in parts
///   spin      x [4], steps i64[] -> y [4]: steps launches of much work
///   chain     x [n], steps i64[] -> y [n]: x after so many launches that add
///             the weights
///   mixed     x [n], n >= 6 -> y [n]: main without the factor 2, but the first
///             six are n n + 1 n + 2 ..., written by the host
///   trespass  x [4] -> y [4]: a kernel that writes outside
class RuntimeModel {
public:
  /// `architectures` are those of the PTX images: 75, 80.
  explicit RuntimeModel(const std::vector<int> &architectures = {75, 80});
  RuntimeModel(const RuntimeModel &) = delete;

  tenon_model_desc desc = {};
  tenon_version_desc versions[2] = {};
  tenon_device_desc device = {};
  std::vector<tenon_image_desc> images;
  std::vector<std::string> texts, names;
  tenon_function_desc functions[12] = {};
};

} // namespace tenon::test

#endif
