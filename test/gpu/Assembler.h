// NVIDIA's assembler as a judge of PTX, where it is at hand.
#ifndef TENON_TEST_GPU_ASSEMBLER_H
#define TENON_TEST_GPU_ASSEMBLER_H

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

namespace tenon::ptx {

inline bool hasAssembler() {
  return std::system("ptxas --version > /dev/null 2>&1") == 0;
}

/// What the assembler says against a module; empty if it accepts it.
inline std::string assemblerErrors(const std::string &text,
                                   const std::string &architecture) {
  char name[] = "/tmp/tenon-ptx-XXXXXX";
  int file = mkstemp(name);
  if (file < 0)
    return "no temporary file";
  close(file);
  std::ofstream(name) << text;
  std::string command = "ptxas -arch=" + architecture + " " + name +
                        " -o /dev/null 2>&1",
              said;
  int status = -1;
  if (FILE *pipe = popen(command.c_str(), "r")) {
    char line[512];
    while (std::fgets(line, sizeof line, pipe))
      said += line;
    status = pclose(pipe);
  }
  unlink(name);
  return status == 0 ? "" : "ptxas failed: " + said;
}

} // namespace tenon::ptx

#endif
