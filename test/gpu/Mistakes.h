// Kernels with a planted mistake, as mistakes/*.txt list them: a kernel that is
// right, and what makes it wrong.
//
// A file has comments (#) and mistakes, separated by empty lines:
//   mistake: what is wrong
//   says: a part of the finding, or one of several: PART | PART
//   counts: bank conflicts, or sectors: the mistake only makes them more
//   launch: BLOCKS THREADS (2 64)
//   sm: the architecture of the module (80)
//   version: of PTX (7.8)
//   variables: of the module, beside `s` of 1024 bytes in shared memory
// Then follow lines of statements. The first character tells where a line is:
//   ' ' in both kernels         '!' in both, and the finding names it
//   '-' in the right kernel     '*' in the wrong one, and the finding names it
//   '+' in the wrong kernel
#ifndef TENON_TEST_GPU_MISTAKES_H
#define TENON_TEST_GPU_MISTAKES_H

#include <set>
#include <string>
#include <vector>

namespace tenon::ptx {

struct Mistake {
  std::string kind, name; // the file's name, and what is wrong
  std::vector<std::string> says;
  std::string counts, version = "7.8", variables;
  unsigned blocks = 2, threads = 64;
  int architecture = 80;
  std::vector<std::string> lines;

  /// The text of the kernel `k`, wrong or right.
  std::string text(bool isWrong) const;
  /// The lines of the wrong kernel's text that the finding may name.
  std::set<int> marked() const;
};

/// All mistakes of all files. Throws for a line that is none of the above.
std::vector<Mistake> plantedMistakes();

} // namespace tenon::ptx

#endif
