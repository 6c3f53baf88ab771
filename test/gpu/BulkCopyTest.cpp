// Copies of blocks and of boxes of tensors against scalar code, and mistakes in
// their use.
#include "test/gpu/Findings.h"
#include "test/gpu/emulator/TensorMap.h"

using namespace tenon::ptx;

namespace {
using MapBytes = std::array<uint8_t, tensorMapBytes>;

MapBytes bytesOf(const TensorMap &map) {
  EXPECT_EQ(tensorMapError(map), "");
  MapBytes bytes{};
  std::memcpy(bytes.data(), &map, sizeof map);
  return bytes;
}

/// A kernel of 32 threads with a tensor map, 8 KiB of shared memory at %d4, an
/// mbarrier for one arrival, and thread 0 as %p1.
std::string kernelOf(const std::string &statements) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n"
         ".shared .align 1024 .b8 s[8192];\n.shared .align 8 .b8 bar[8];\n"
         ".visible .entry k(.param .u64 p, .param .u64 q,\n"
         ".param .align 64 .b8 m[128]) {\n"
         ".reg .pred %p<16>; .reg .b32 %r<32>; .reg .b64 %d<32>;\n"
         "ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];\n"
         "mov.b64 %d3, m; cvta.param.u64 %d3, %d3; mov.u64 %d4, s;\n"
         "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0;\n"
         "mul.wide.u32 %d5, %r1, 16; add.s64 %d6, %d4, %d5;\n"
         "add.s64 %d7, %d2, %d5;\n"
         "@%p1 mbarrier.init.shared.b64 [bar], 1;\n"
         "@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n" +
         statements + "ret;\n}\n";
}

std::string expect(int bytes) {
  return "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], " +
         std::to_string(bytes) + ";\n";
}
const std::string wait =
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra.uni W;\n";

/// Shared memory to q, 16 bytes a thread at a time.
std::string copyOut(int bytes) {
  return "mov.u32 %r2, 0;\n"
         "O: mul.wide.u32 %d8, %r2, 512; add.s64 %d9, %d6, %d8;\n"
         "add.s64 %d10, %d7, %d8; mad.lo.u32 %r3, %r2, 512, 0;\n"
         "mad.lo.u32 %r3, %r1, 16, %r3; setp.lt.u32 %p3, %r3, " +
         std::to_string(bytes) +
         ";\n@%p3 ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%d9];\n"
         "@%p3 st.global.v4.b32 [%d10], {%r4, %r5, %r6, %r7};\n"
         "add.u32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, 16; @%p4 bra.uni O;\n";
}

/// "{%r10, %r11}", set to the coordinates.
std::string coordinates(const std::vector<int> &at, std::string &list) {
  std::string text;
  for (size_t i = 0; i < at.size(); ++i) {
    std::string name = "%r" + std::to_string(10 + i);
    text += "mov.b32 " + name + ", " + std::to_string(at[i]) + ";\n";
    list += (i ? ", " : "{") + name;
  }
  list += "}";
  return text;
}

std::string loadBox(const std::vector<int> &at, int bytes) {
  std::string list, set = coordinates(at, list);
  return set + expect(bytes) + "@%p1 cp.async.bulk.tensor." +
         std::to_string(at.size()) +
         "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [s], "
         "[%d3, " +
         list + "], [bar];\n" + wait;
}

struct Shape {
  std::vector<uint32_t> extents, box;
  std::vector<int> at;
  uint8_t elementBytes;
  Swizzle swizzle;
};

TensorMap mapOf(const Shape &shape, uint64_t address) {
  TensorMap map;
  map.address = address;
  map.elementBytes = shape.elementBytes;
  map.rank = uint8_t(shape.extents.size());
  map.swizzle = shape.swizzle;
  uint64_t stride = shape.elementBytes;
  for (size_t i = 0; i < shape.extents.size(); ++i) {
    map.extents[i] = shape.extents[i];
    map.box[i] = uint16_t(shape.box[i]);
    if (i)
      map.strides[i - 1] = stride;
    stride = (stride * shape.extents[i] + 15) / 16 * 16;
  }
  return map;
}

uint64_t bytesOfTensor(const TensorMap &map) {
  uint64_t bytes = 16 + map.extents[0] * map.elementBytes;
  for (uint32_t i = 1; i < map.rank; ++i)
    bytes += map.extents[i] * map.strides[i - 1];
  return bytes;
}

/// Where byte `byte` of row `row` of a box stands, by the manual's figures: the
/// pieces of 16 bytes of a row change places in a pattern of eight lines of 128
/// bytes.
uint32_t placeOf(Swizzle swizzle, uint32_t rowBytes, uint32_t row,
                 uint32_t byte) {
  uint32_t piece = byte / 16;
  switch (swizzle) {
  case Swizzle::None:
    break;
  case Swizzle::Of32:
    piece ^= row / 4 % 2;
    break;
  case Swizzle::Of64:
    piece ^= row / 2 % 4;
    break;
  case Swizzle::Of128:
    piece ^= row % 8;
    break;
  }
  return row * rowBytes + piece * 16 + byte % 16;
}

/// Calls body(place in the box's memory, offset in the tensor or -1) for each
/// byte of the box.
template <typename Body>
void forBox(const Shape &shape, const TensorMap &map, Body body) {
  uint32_t rowBytes = shape.box[0] * shape.elementBytes, rows = 1;
  for (size_t i = 1; i < shape.box.size(); ++i)
    rows *= shape.box[i];
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t byte = 0; byte < rowBytes; ++byte) {
      int64_t x = shape.at[0] + int64_t(byte / shape.elementBytes),
              offset = x * shape.elementBytes + byte % shape.elementBytes;
      bool isInside = x >= 0 && x < int64_t(shape.extents[0]);
      uint32_t rest = row;
      for (size_t i = 1; i < shape.box.size(); ++i) {
        int64_t y = shape.at[i] + int64_t(rest % shape.box[i]);
        rest /= shape.box[i];
        isInside &= y >= 0 && y < int64_t(shape.extents[i]);
        offset += y * int64_t(map.strides[i - 1]);
      }
      body(placeOf(shape.swizzle, rowBytes, row, byte), isInside ? offset : -1);
    }
}

const Shape shapes[] = {
    {{100}, {64}, {0}, 4, Swizzle::None},
    {{100}, {64}, {70}, 4, Swizzle::None},
    {{100}, {48}, {-5}, 1, Swizzle::None},
    {{50, 20}, {64, 16}, {0, 0}, 2, Swizzle::Of128},
    {{200, 40}, {64, 16}, {-3, 30}, 2, Swizzle::Of128},
    {{200, 40}, {32, 16}, {3, -1}, 2, Swizzle::Of64},
    {{200, 40}, {16, 16}, {190, 2}, 2, Swizzle::Of32},
    {{200, 40}, {24, 7}, {190, 2}, 2, Swizzle::None},
    {{64, 9, 5}, {32, 4, 3}, {40, 7, 3}, 4, Swizzle::Of128},
    {{33, 5, 4, 3}, {16, 3, 2, 2}, {20, 3, -1, 2}, 4, Swizzle::Of64},
    {{40, 3, 4, 3, 2}, {32, 2, 2, 2, 2}, {9, 2, 1, 2, 0}, 1, Swizzle::Of32},
};

std::vector<uint8_t> randomBytes(uint64_t count) {
  std::mt19937_64 draws(count);
  std::vector<uint8_t> bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(draws() % 255 + 1);
  return bytes;
}

TEST(BulkCopies, LoadsOfBoxes) {
  for (const Shape &shape : shapes) {
    TensorMap map = mapOf(shape, 16);
    auto bytes = int(map.boxBytes());
    Device device(kernelOf(loadBox(shape.at, bytes) + copyOut(bytes)), 90);
    auto tensor = randomBytes(bytesOfTensor(map));
    map.address = device.put(tensor);
    uint64_t to = device.reserve(8192);
    device.run("k", LaunchShape::linear(1, 32), map.address, to, bytesOf(map));
    auto got = device.get<uint8_t>(to, size_t(bytes));
    forBox(shape, map, [&](uint32_t place, int64_t offset) {
      ASSERT_EQ(got[place], offset < 0 ? 0 : tensor[size_t(offset)])
          << "place " << place << " of shape " << &shape - shapes;
    });
  }
}

/// Fills shared memory with numbers, and stores a box of it.
std::string storeBox(const std::vector<int> &at, int bytes) {
  std::string list, set = coordinates(at, list);
  return set +
         "mov.u32 %r2, 0;\n"
         "F: mul.wide.u32 %d8, %r2, 512; add.s64 %d9, %d6, %d8;\n"
         "add.s64 %d10, %d1, %d8; add.s64 %d10, %d10, %d5;\n"
         "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d10];\n"
         "st.shared.v4.b32 [%d9], {%r4, %r5, %r6, %r7};\n"
         "add.u32 %r2, %r2, 1; setp.lt.u32 %p4, %r2, " +
         std::to_string((bytes + 511) / 512) +
         "; @%p4 bra.uni F;\n"
         "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
         "@%p1 cp.async.bulk.tensor." +
         std::to_string(at.size()) +
         "d.global.shared::cta.tile.bulk_group [%d3, " + list +
         "], [s];\n@%p1 cp.async.bulk.commit_group;\n"
         "@%p1 cp.async.bulk.wait_group.read 0;\n";
}

TEST(BulkCopies, StoresOfBoxes) {
  for (const Shape &shape : shapes) {
    TensorMap map = mapOf(shape, 16);
    Device device(kernelOf(storeBox(shape.at, int(map.boxBytes()))), 90);
    auto from = randomBytes(8192);
    std::vector<uint8_t> tensor(bytesOfTensor(map)), expected = tensor;
    map.address = device.put(tensor);
    device.run("k", LaunchShape::linear(1, 32), device.put(from), uint64_t(0),
               bytesOf(map));
    forBox(shape, map, [&](uint32_t place, int64_t offset) {
      if (offset >= 0)
        expected[size_t(offset)] = from[place];
    });
    EXPECT_EQ(device.get<uint8_t>(map.address, tensor.size()), expected);
  }
}

const std::string load = "@%p1 cp.async.bulk.shared::cluster.global.mbarrier::"
                         "complete_tx::bytes [s], [%d1], 1024, [bar];\n",
                  store = "@%p1 cp.async.bulk.global.shared::cta.bulk_group "
                          "[%d2], [s], 1024;\n"
                          "@%p1 cp.async.bulk.commit_group;\n";

/// What the emulator says of a kernel with 8192 bytes; empty if it is right.
std::string said(const std::string &statements, uint64_t seed = 0) {
  std::string text = kernelOf(statements);
  try {
    Device device(text, 90);
    device.machine.seed = seed;
    device.machine.maxInstructions = 1 << 20;
    Shape shape{{64, 64}, {64, 16}, {0, 0}, 2, Swizzle::Of128};
    auto bytes = randomBytes(8192);
    uint64_t at = device.put(bytes);
    device.run("k", LaunchShape::linear(1, 32), at, device.put(bytes),
               bytesOf(mapOf(shape, at)));
  } catch (const std::runtime_error &error) {
    return error.what();
  }
  return "";
}

TEST(BulkCopies, Blocks) {
  Device device(kernelOf(expect(1024) + load + wait +
                         "fence.proxy.async;\nbar.sync 0;\n" + store +
                         "@%p1 cp.async.bulk.wait_group 0;\n"),
                90);
  auto from = randomBytes(1024);
  uint64_t at = device.put(from), to = device.reserve(1024);
  device.run("k", LaunchShape::linear(1, 32), at, to, MapBytes{});
  EXPECT_EQ(device.get<uint8_t>(to, 1024), from);
}

TEST(BulkCopies, MistakesInLoads) {
  std::string box = loadBox({0, 0}, 2048), read = "ld.shared.u32 %r8, [%d6];\n";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_EQ(said(box + read, seed), "");
    EXPECT_EQ(said(expect(1024) + load + wait + read, seed), "");
    // Not waited for, or for another phase.
    EXPECT_NE(said(replaced(box, wait, "") + read, seed), "");
    EXPECT_NE(said(replaced(box, "[bar], 0;", "[bar], 1;") + read, seed), "");
    // Too few and too many bytes are expected.
    EXPECT_NE(said(replaced(box, "[bar], 2048", "[bar], 2032") + read, seed),
              "");
    EXPECT_FINDING(
        said(replaced(box, "[bar], 2048", "[bar], 2064") + read, seed),
        "lacks 0 arrivals and 16 bytes");
  }
  EXPECT_FINDING(said(replaced(box, expect(2048), "") + read), "deadlock");
  EXPECT_FINDING(said(replaced(box, "[s], [", "[s+16], [")),
                 "no multiple of 128");
  EXPECT_FINDING(said(replaced(box, "[%d3,", "[%d3+16,")), "no multiple of 64");
  EXPECT_FINDING(said(replaced(box, "[%d3,", "[%d1,")), "no tensor map");
  EXPECT_FINDING(said(loadBox({0, 0, 0}, 2048)), "has rank 2");
  EXPECT_FINDING(said(replaced(box, "[s], [", "[s+7168], [")),
                 "in no variable");
  EXPECT_FINDING(said(expect(1024) + replaced(load, "1024", "1020") + wait),
                 "multiples of 16");
  EXPECT_FINDING(said(expect(1024) + replaced(load, "[%d1]", "[%d1+7680]")),
                 "of an allocation of 8192");
}

TEST(BulkCopies, MissingFences) {
  std::string box = loadBox({0, 0}, 2048), write = "st.shared.u32 [%d6], 7;\n",
              barrier = "bar.sync 0;\n", fence = "fence.proxy.async;\n";
  EXPECT_EQ(said(write + fence + barrier + box), "");
  EXPECT_EQ(said(write + barrier + fence + box), "");
  EXPECT_FINDING(said(write + barrier + box), "no fence.proxy.async");
  EXPECT_FINDING(said(fence + write + barrier + box), "no fence.proxy.async");
  EXPECT_FINDING(said(write + fence + box), "race");
  std::string text = kernelOf(box);
  std::string init = "@%p1 fence.mbarrier_init.release.cluster;\n";
  Device device(replaced(text, init, ""), 90);
  try {
    Shape shape{{64, 64}, {64, 16}, {0, 0}, 2, Swizzle::Of128};
    uint64_t at = device.put(randomBytes(8192));
    device.run("k", LaunchShape::linear(1, 32), at, at,
               bytesOf(mapOf(shape, at)));
    FAIL();
  } catch (const Finding &finding) {
    EXPECT_FINDING(std::string(finding.what()), "fence.mbarrier_init");
  }
}

TEST(BulkCopies, MistakesInStores) {
  std::string box = storeBox({0, 0}, 2048), write = "st.shared.u32 [%d6], 7;\n";
  EXPECT_EQ(said(box + "bar.sync 0;\n" + write), "");
  EXPECT_FINDING(said(replaced(box, "fence.proxy.async.shared::cta;\n", "")),
                 "no fence.proxy.async");
  // Other threads must learn of the wait; `.read` is not enough for all.
  EXPECT_FINDING(said(box + write), "race");
  std::string unawaited =
      replaced(box, "@%p1 cp.async.bulk.wait_group.read 0;\n", "");
  EXPECT_FINDING(said(unawaited), "wait_group is missing");
  EXPECT_FINDING(said(unawaited + "bar.sync 0;\n" + write), "may still read");
  EXPECT_FINDING(said(replaced(box, "read 0", "read 1") + write),
                 "may still read");
  EXPECT_FINDING(said(replaced(box, "@%p1 cp.async.bulk.commit_group;\n", "")),
                 "wait_group is missing");
}

TEST(BulkCopies, AssemblerAcceptsAllForms) {
  std::vector<std::string> modules{
      kernelOf(expect(1024) + load + wait + store +
               "@%p1 cp.async.bulk.wait_group 0;\n")};
  for (const Shape &shape : shapes) {
    modules.push_back(kernelOf(loadBox(shape.at, 64) + copyOut(64)));
    modules.push_back(kernelOf(storeBox(shape.at, 64)));
  }
  expectAssembles(modules, "sm_90",
                  ".shared .align 1024 .b8 s[8192];\n"
                  ".shared .align 8 .b8 bar[8];\n",
                  "8.0");
}

TEST(TensorMaps, Rules) {
  Shape shape{{64, 64}, {64, 16}, {0, 0}, 2, Swizzle::Of128};
  TensorMap right = mapOf(shape, 4096);
  auto errorOf = [&](auto change) {
    TensorMap map = right;
    change(map);
    return tensorMapError(map);
  };
  EXPECT_EQ(tensorMapError(right), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.address = 4104; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.address = 0; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.rank = 0; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.rank = 6; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.extents[1] = 0; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.strides[0] = 136; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.strides[0] = 1ull << 40; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.box[1] = 257; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.box[1] = 0; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.box[0] = 60; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.box[0] = 128; }), "");
  EXPECT_NE(errorOf([](TensorMap &map) { map.swizzle = Swizzle::Of64; }), "");
}
} // namespace
