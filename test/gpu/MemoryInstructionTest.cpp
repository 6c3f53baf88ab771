// Loads, stores, atomic operations and copies in all spaces.
#include "test/gpu/Device.h"
#include "test/gpu/instructions/DriverDevice.h"
#include "test/gpu/instructions/Rows.h"

#include <gtest/gtest.h>

using namespace tenon::ptx;

namespace {
/// Runs one thread, with the buffer at %d1. Returns the buffer's words.
std::vector<uint32_t> wordsOf(const std::string &statements,
                              const std::vector<uint8_t> &bytes,
                              const std::string &architecture = "sm_75",
                              const std::string &variables = "") {
  DriverDevice device(moduleOf("ld.param.u64 %d1, [p];\n" + statements,
                               architecture, variables));
  CUdeviceptr at = device.put(bytes);
  device.run(1, 1, at);
  return device.get<uint32_t>(at, bytes.size() / 4);
}

/// Accesses of each size, and the extension into wider registers.
TEST(MemoryInstructions, LoadsExtend) {
  std::vector<uint8_t> bytes(32);
  bytes[0] = 0x85, bytes[1] = 0x01, bytes[2] = 0x34, bytes[3] = 0x92;
  auto got =
      wordsOf("ld.global.s8 %r1, [%d1]; st.global.u32 [%d1+8], %r1;\n"
              "ld.global.u8 %r2, [%d1]; st.global.u32 [%d1+12], %r2;\n"
              "ld.global.s16 %d2, [%d1+2]; st.global.u64 [%d1+16], %d2;\n"
              "ld.global.v2.u16 {%h1, %h2}, [%d1];\n"
              "mov.b32 %r3, {%h2, %h1}; st.global.u32 [%d1+24], %r3;\n"
              "st.global.u8 [%d1+28], %r3;\n",
              bytes);
  EXPECT_EQ(got[2], 0xffffff85u);
  EXPECT_EQ(got[3], 0x85u);
  EXPECT_EQ(got[4], 0xffff9234u);
  EXPECT_EQ(got[5], 0xffffffffu);
  EXPECT_EQ(got[6], 0x01859234u);
  EXPECT_EQ(got[7], 0x34u);
}

/// Words of all sizes go through each space, alone and as vectors.
TEST(MemoryInstructions, CopiesOfAllSizes) {
  const std::string spaces[][2] = {
      {"shared", "mov.u64 %d2, s;\n"},
      {"local", ".local .align 16 .b8 l[32]; mov.u64 %d2, l;\n"},
      {"global", "add.s64 %d2, %d1, 64;\n"}};
  const char *types[][3] = {{"b8", "%h", ""},    {"b16", "%h", ""},
                            {"b32", "%r", ""},   {"b64", "%d", ""},
                            {"b16", "%h", "v2"}, {"b32", "%r", "v2"},
                            {"b64", "%d", "v2"}, {"b8", "%h", "v4"},
                            {"b16", "%h", "v4"}, {"b32", "%r", "v4"}};
  std::vector<uint8_t> bytes(128);
  for (size_t i = 0; i < 32; ++i)
    bytes[i] = uint8_t(i * 37 + 11);
  for (const auto &[space, begin] : spaces)
    for (const auto &[type, kind, vector] : types) {
      int elements = *vector ? vector[1] - '0' : 1;
      std::string reg;
      for (int i = 0; i < elements; ++i)
        reg += (i ? ", " : "") + std::string(kind) + std::to_string(4 + i);
      if (*vector)
        reg = "{" + reg + "}";
      std::string form =
          (*vector ? "." + std::string(vector) : "") + "." + type + " ";
      auto access = [&](const std::string &name, const std::string &in,
                        const std::string &address) {
        return name == "ld" ? "ld." + in + form + reg + ", " + address + ";\n"
                            : "st." + in + form + address + ", " + reg + ";\n";
      };
      auto got = wordsOf(begin + access("ld", "global", "[%d1]") +
                             access("st", space, "[%d2]") +
                             access("ld", space, "[%d2]") +
                             access("st", "global", "[%d1+32]"),
                         bytes, "sm_75", ".shared .align 16 .b8 s[32];\n");
      size_t size = size_t(elements) * std::stoul(type + 1) / 8;
      EXPECT_EQ(std::memcmp(&got[8], bytes.data(), size), 0) << space << form;
      EXPECT_EQ(reinterpret_cast<uint8_t *>(&got[8])[size], 0) << space << form;
    }
}

/// Addresses of spaces become generic ones and come back.
TEST(MemoryInstructions, GenericAddresses) {
  for (std::string space : {"shared", "local", "global"}) {
    std::string begin = space == "shared" ? "mov.u64 %d2, s;\n"
                        : space == "local"
                            ? ".local .align 8 .b8 l[8]; mov.u64 %d2, l;\n"
                            : "add.s64 %d2, %d1, 8;\n";
    auto got = wordsOf(
        begin + "cvta." + space + ".u64 %d3, %d2;\n" +
            "st.u32 [%d3], 77; cvta.to." + space + ".u64 %d4, %d3;\n" + "ld." +
            space + ".u32 %r1, [%d4]; ld.u32 %r2, [%d3];\n" +
            "add.s32 %r1, %r1, %r2; st.global.u32 [%d1], %r1;\n",
        std::vector<uint8_t>(16), "sm_75", ".shared .align 8 .b8 s[8];\n");
    EXPECT_EQ(got[0], 154u) << space;
  }
}

TEST(MemoryInstructions, VariablesOfTheModule) {
  auto got = wordsOf("mov.u64 %d2, table; ld.const.u32 %r1, [%d2+4];\n"
                     "mov.u64 %d3, count; ld.global.u32 %r2, [%d3];\n"
                     "ld.global.u32 %r3, [zeros+4];\n"
                     "st.global.u32 [%d1], %r1; st.global.u32 [%d1+4], %r2;\n"
                     "st.global.u32 [%d1+8], %r3;\n",
                     std::vector<uint8_t>(16, 9), "sm_75",
                     ".const .align 4 .u32 table[3] = {5, 6, 7};\n"
                     ".global .align 4 .u32 count = 12;\n"
                     ".global .align 4 .b8 zeros[8];\n");
  EXPECT_EQ(got[0], 6u);
  EXPECT_EQ(got[1], 12u);
  EXPECT_EQ(got[2], 0u);
}

/// Orders of loads and stores, hints of caches, and fences change no value.
TEST(MemoryInstructions, OrdersAndHints) {
  const char *loads[] = {
      "ld.weak.global.u32",        "ld.volatile.global.u32",
      "ld.relaxed.gpu.global.u32", "ld.acquire.gpu.global.u32",
      "ld.acquire.sys.global.u32", "ld.global.nc.u32",
      "ld.global.cg.u32",          "ld.global.L1::no_allocate.u32"};
  const char *stores[] = {"st.weak.global.u32", "st.volatile.global.u32",
                          "st.relaxed.cta.global.u32",
                          "st.release.gpu.global.u32", "st.global.wt.u32"};
  const char *fences[] = {
      "membar.cta",        "membar.gl",         "membar.sys",  "fence.sc.gpu",
      "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.sys"};
  std::vector<uint8_t> bytes(16);
  bytes[0] = 42;
  for (std::string load : loads)
    for (std::string store : stores) {
      auto got =
          wordsOf(load + " %r1, [%d1]; " + store + " [%d1+4], %r1;\n", bytes);
      EXPECT_EQ(got[1], 42u) << load << ' ' << store;
    }
  for (std::string fence : fences) {
    auto got = wordsOf("prefetch.global.L2 [%d1]; ld.global.u32 %r1, [%d1];\n" +
                           fence + "; st.global.u32 [%d1+4], %r1;\n",
                       bytes);
    EXPECT_EQ(got[1], 42u) << fence;
  }
}

struct Atomic {
  const char *name;
  int bits;
  Bits (*next)(Bits old, Bits b, Bits c);
  const char *only = ""; ///< "atom" or "red" if the other has no such form
};

template <typename T> T as(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <typename T> Bits bitsFrom(T value) {
  Bits bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

const Atomic atomics[] = {
    {"add.u32", 32, [](Bits a, Bits b, Bits) { return a + b; }},
    {"add.s32", 32, [](Bits a, Bits b, Bits) { return a + b; }},
    {"add.u64", 64, [](Bits a, Bits b, Bits) { return a + b; }},
    {"add.f32", 32,
     [](Bits a, Bits b, Bits) {
       return bitsFrom(as<float>(a) + as<float>(b));
     }},
    {"add.f64", 64,
     [](Bits a, Bits b, Bits) {
       return bitsFrom(as<double>(a) + as<double>(b));
     }},
    {"min.u32", 32, [](Bits a, Bits b, Bits) { return a < b ? a : b; }},
    {"min.s32", 32,
     [](Bits a, Bits b, Bits) { return int32_t(a) < int32_t(b) ? a : b; }},
    {"min.u64", 64, [](Bits a, Bits b, Bits) { return a < b ? a : b; }},
    {"min.s64", 64,
     [](Bits a, Bits b, Bits) { return int64_t(a) < int64_t(b) ? a : b; }},
    {"max.u32", 32, [](Bits a, Bits b, Bits) { return a > b ? a : b; }},
    {"max.s32", 32,
     [](Bits a, Bits b, Bits) { return int32_t(a) > int32_t(b) ? a : b; }},
    {"max.u64", 64, [](Bits a, Bits b, Bits) { return a > b ? a : b; }},
    {"max.s64", 64,
     [](Bits a, Bits b, Bits) { return int64_t(a) > int64_t(b) ? a : b; }},
    {"and.b32", 32, [](Bits a, Bits b, Bits) { return a & b; }},
    {"and.b64", 64, [](Bits a, Bits b, Bits) { return a & b; }},
    {"or.b32", 32, [](Bits a, Bits b, Bits) { return a | b; }},
    {"or.b64", 64, [](Bits a, Bits b, Bits) { return a | b; }},
    {"xor.b32", 32, [](Bits a, Bits b, Bits) { return a ^ b; }},
    {"xor.b64", 64, [](Bits a, Bits b, Bits) { return a ^ b; }},
    {"inc.u32", 32, [](Bits a, Bits b, Bits) { return a >= b ? 0 : a + 1; }},
    {"dec.u32", 32,
     [](Bits a, Bits b, Bits) { return a == 0 || a > b ? b : a - 1; }},
    {"exch.b32", 32, [](Bits, Bits b, Bits) { return b; }, "atom"},
    {"exch.b64", 64, [](Bits, Bits b, Bits) { return b; }, "atom"},
    {"cas.b32", 32, [](Bits a, Bits b, Bits c) { return a == b ? c : a; },
     "atom"},
    {"cas.b64", 64, [](Bits a, Bits b, Bits c) { return a == b ? c : a; },
     "atom"},
};

/// Each lane has a word of its own; the last eight bytes of its 32 take what
/// the word was.
void expectAtomic(const Atomic &atomic, const std::string &form,
                  const std::string &space) {
  std::string kind = atomic.bits == 64 ? "%d" : "%r",
              type = ".b" + std::to_string(atomic.bits);
  bool hasResult = form == "atom",
       compares = std::string(atomic.name).starts_with("cas");
  std::string text = "mov.u32 %r10, %tid.x; mul.wide.u32 %d10, %r10, 32;\n"
                     "ld.param.u64 %d11, [p]; add.s64 %d11, %d11, %d10;\n"
                     "mov.u64 %d12, s; add.s64 %d12, %d12, %d10;\n"
                     "ld.global" +
                     type + " " + kind +
                     "2, [%d11+8];\n"
                     "ld.global" +
                     type + " " + kind + "3, [%d11+16];\n";
  std::string address = "[%d11]";
  if (space == "shared") {
    text += "ld.global" + type + " " + kind + "4, [%d11];\n";
    text += "st.shared" + type + " [%d12], " + kind + "4;\n";
    address = "[%d12]";
  }
  text += form + "." + space + "." + atomic.name + " " +
          (hasResult ? kind + "1, " : "") + address + ", " + kind + "2" +
          (compares ? ", " + kind + "3" : "") + ";\n";
  if (hasResult)
    text += "st.global" + type + " [%d11+24], " + kind + "1;\n";
  if (space == "shared") {
    text += "ld.shared" + type + " " + kind + "4, [%d12];\n";
    text += "st.global" + type + " [%d11], " + kind + "4;\n";
  }
  std::mt19937_64 draws(7);
  std::vector<Bits> values;
  Bits mask = atomic.bits == 64 ? ~Bits(0) : 0xffffffff;
  bool isFloat = std::string(atomic.name).find(".f") != std::string::npos;
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i) {
      Bits value = lane % 3 ? draws() : draws() % 4;
      if (isFloat)
        value = atomic.bits == 64 ? bitsFrom(double(int64_t(value >> 40)))
                                  : bitsFrom(float(int64_t(value >> 50)) / 8);
      values.push_back(value & mask);
    }
  DriverDevice device(
      moduleOf(text, "sm_75", ".shared .align 8 .b8 s[1024];\n"));
  CUdeviceptr at = device.put(values);
  device.run(1, 32, at);
  auto got = device.get<Bits>(at, values.size());
  for (size_t i = 0; i < values.size(); i += 4) {
    EXPECT_EQ(got[i] & mask,
              atomic.next(values[i], values[i + 1], values[i + 2]) & mask)
        << form << ' ' << space << ' ' << atomic.name;
    if (hasResult)
      EXPECT_EQ(got[i + 3] & mask, values[i]) << form << ' ' << atomic.name;
  }
}

TEST(MemoryInstructions, AtomicOperations) {
  for (const Atomic &atomic : atomics)
    for (std::string form : {"atom", "red"})
      for (std::string space : {"global", "shared"})
        if (atomic.only == std::string() || atomic.only == form)
          expectAtomic(atomic, form, space);
}

/// All lanes add to one word, with each order and scope.
TEST(MemoryInstructions, AtomicSums) {
  for (std::string order :
       {"", ".relaxed.gpu", ".acquire.gpu", ".release.cta", ".acq_rel.sys"}) {
    DriverDevice device(moduleOf("ld.param.u64 %d1, [p];\n"
                                 "atom" +
                                 order + ".global.add.u32 %r1, [%d1], 3;\n"));
    CUdeviceptr at = device.put(std::vector<uint32_t>{10});
    device.run(1, 64, at);
    EXPECT_EQ(device.get<uint32_t>(at, 1)[0], 10u + 3 * 64) << order;
  }
}

TEST(MemoryInstructions, AsynchronousCopies) {
  if (DriverLibrary::instance().architecture < 80)
    GTEST_SKIP();
  std::vector<uint8_t> bytes(96);
  for (size_t i = 0; i < 48; ++i)
    bytes[i] = uint8_t(i + 1);
  auto got = wordsOf(
      "mov.u64 %d2, s;\n"
      "cp.async.ca.shared.global [%d2], [%d1], 4;\n"
      "cp.async.ca.shared.global [%d2+8], [%d1+8], 8;\n"
      "cp.async.commit_group;\n"
      "cp.async.cg.shared.global.L2::128B [%d2+16], [%d1+16], 16;\n"
      "cp.async.commit_group;\n"
      "cp.async.wait_group 1;\n"
      "ld.shared.u32 %r1, [%d2]; ld.shared.u64 %d3, [%d2+8];\n"
      "cp.async.wait_group 0;\n"
      "ld.shared.v2.u64 {%d4, %d5}, [%d2+16];\n"
      // A source of zero bytes leaves zeros.
      "cp.async.ca.shared.global [%d2+32], [%d1+32], 16, 0;\n"
      "cp.async.wait_all;\n"
      "ld.shared.u64 %d6, [%d2+32];\n"
      "st.global.u32 [%d1+48], %r1; st.global.u64 [%d1+56], %d3;\n"
      "st.global.v2.u64 [%d1+64], {%d4, %d5}; st.global.u64 [%d1+80], %d6;\n",
      bytes, "sm_80", ".shared .align 16 .b8 s[64];\n");
  auto *result = reinterpret_cast<uint8_t *>(got.data());
  EXPECT_EQ(std::memcmp(result + 48, bytes.data(), 4), 0);
  EXPECT_EQ(std::memcmp(result + 56, bytes.data() + 8, 8), 0);
  EXPECT_EQ(std::memcmp(result + 64, bytes.data() + 16, 16), 0);
  EXPECT_EQ(got[20], 0u);
}

/// Registers are taken apart and put together, the lowest part first.
TEST(MemoryInstructions, PartsOfRegisters) {
  std::vector<uint8_t> bytes(32);
  for (size_t i = 0; i < 8; ++i)
    bytes[i] = uint8_t(0x10 + i);
  auto got =
      wordsOf("ld.global.u64 %d2, [%d1];\n"
              "mov.b64 {%r1, %r2}, %d2; mov.b64 %d3, {%r2, %r1};\n"
              "mov.b64 {%h1, %h2, %h3, %h4}, %d2;\n"
              "mov.b64 %d4, {%h4, %h3, %h2, %h1};\n"
              "mov.b32 {%h5, _}, %r1; mov.b32 %r3, {%h5, %h5};\n"
              "st.global.u64 [%d1+8], %d3; st.global.u64 [%d1+16], %d4;\n"
              "st.global.u32 [%d1+24], %r3;\n",
              bytes);
  EXPECT_EQ(got[2], 0x17161514u);
  EXPECT_EQ(got[3], 0x13121110u);
  EXPECT_EQ(got[4], 0x15141716u);
  EXPECT_EQ(got[5], 0x11101312u);
  EXPECT_EQ(got[6], 0x11101110u);
}

/// A function with a parameter and a result.
TEST(MemoryInstructions, Calls) {
  auto got =
      wordsOf("ld.global.u32 %r1, [%d1];\n"
              "{ .param .b32 in; .param .b32 out; st.param.b32 [in], %r1;\n"
              "call.uni (out), twice, (in); ld.param.b32 %r2, [out]; }\n"
              "st.global.u32 [%d1+4], %r2;\n",
              {21, 0, 0, 0, 0, 0, 0, 0}, "sm_75",
              ".func (.param .b32 y) twice(.param .b32 x) {\n"
              ".reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.s32 %r2, %r1, %r1;\n"
              "st.param.b32 [y], %r2; ret; }\n");
  EXPECT_EQ(got[1], 42u);
}
} // namespace
