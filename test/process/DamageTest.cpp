// Cuts and flips an artifact of ordinary size at random. Each time it must be
// refused before any of it runs.
#include "test/process/CompileTest.h"

#include "runtime/tenon.h"

#include <fcntl.h>
#include <random>
#include <unistd.h>

namespace tenon::test {
namespace {

class Damage : public CompileTest {
protected:
  static tenon_status openWhole(const std::string &path) {
    tenon_open_options options = {};
    options.struct_size = sizeof options;
    options.verify_weights = 1;
    tenon_model *model = nullptr;
    tenon_status status = tenon_open(path.c_str(), &options, &model);
    tenon_close(model);
    return status;
  }
};

TEST_F(Damage, CutsAndFlipsAreFound) {
  made(shared, "new.onnx");
  const std::string path = output / "m.so", good = readWhole(path);
  std::mt19937_64 random(7);
  int fd = open(path.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  for (int i = 0; i < 10000; ++i) {
    size_t at = random() % good.size();
    char bad = char(good[at] ^ (1 << random() % 8));
    ASSERT_EQ(pwrite(fd, &bad, 1, off_t(at)), 1);
    ASSERT_EQ(openWhole(path), TENON_BAD_ARTIFACT) << at;
    ASSERT_EQ(pwrite(fd, &good[at], 1, off_t(at)), 1);
  }
  ASSERT_EQ(openWhole(path), TENON_OK);
  for (size_t i = 1000; i-- > 0;) {
    ASSERT_EQ(ftruncate(fd, off_t(good.size() * i / 1000)), 0);
    ASSERT_EQ(openWhole(path), TENON_BAD_ARTIFACT) << i;
  }
  close(fd);
}

TEST_F(Damage, WeightsOfAnotherModel) {
  const Files old = made(beside, "old.onnx");
  const Files fresh = made(beside, "new.onnx");
  restore({{"m.so", old.at("m.so")}});
  EXPECT_EQ(openWhole(output / "m.so"), TENON_BAD_ARTIFACT);
  restore({{"m.safetensors", old.at("m.safetensors")}});
  EXPECT_EQ(openWhole(output / "m.so"), TENON_OK);
}

} // namespace
} // namespace tenon::test
