// Compares a model's results on an emulated device with the CPU's, bit by bit,
// on random inputs: compare-device MODEL ARCH [RUNS [EXTENT]]. The runs share a
// context, so that states are compared too; EXTENT is the size of each dynamic
// extent.
#include "compiler/Compiler.h"
#include "test/gpu/ModelRun.h"

#include <chrono>
#include <cstdio>
#include <filesystem>

using namespace tenon;
using namespace tenon::test;

namespace {

double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

int compare(const char *model, const std::string &architecture, int runs,
            int64_t extent, const std::string &artifact) {
  Compiler compiler([](const Diagnostic &d) {
    std::fputs(formatDiagnostic(d).c_str(), stderr);
  });
  CompileOptions options;
  options.input = model;
  options.output = artifact;
  options.devices = {architecture};
  options.matmulPrecision = MatmulPrecision::Strict;
  double start = seconds();
  if (compiler.compile(options).status != Status::Success)
    return 1;
  std::printf("compiled in %.1f s\n", seconds() - start);
  OpenedModel cpu, device;
  for (auto [opened, where] :
       {std::pair(&cpu, (const char *)nullptr), std::pair(&device, "cuda")})
    if (!opened->open(artifact, where, 2)) {
      std::fprintf(stderr, "%s\n", opened->text);
      return 1;
    }
  std::mt19937 draws(1);
  for (int i = 0; i < runs; ++i) {
    auto inputs = randomInputs(cpu.model, extent, draws);
    std::vector<tenon_tensor> here, there;
    start = seconds();
    for (auto [opened, outputs] :
         {std::pair(&cpu, &here), std::pair(&device, &there)})
      if (!runOnce(*opened, inputs, *outputs)) {
        std::fprintf(stderr, "%s\n", tenon_context_text(opened->context));
        return 1;
      }
    for (size_t n = 0; n < here.size(); ++n)
      if (here[n].bytes != there[n].bytes ||
          std::memcmp(here[n].data, there[n].data, here[n].bytes) != 0) {
        std::printf("run %d: output %zu has other bits\n", i, n);
        return 1;
      }
    std::printf("run %d: %.1f s\n", i, seconds() - start);
  }
  std::printf("the bits are the CPU's\n");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fputs("usage: compare-device MODEL ARCH [RUNS [EXTENT]]\n", stderr);
    return 2;
  }
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "tenon-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    return 1;
  int result =
      compare(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 1,
              argc > 4 ? std::atol(argv[4]) : 1, pattern + "/model.so");
  fs::remove_all(pattern);
  return result;
}
