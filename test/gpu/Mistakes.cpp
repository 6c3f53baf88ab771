// Statements before those of a mistake give it %r1, the thread; %r2, the block;
// %r3, the thread 32 further; %d1, the buffer; %d2, the thread's word in it;
// %d4 and %d5, the words of thread and neighbour in shared memory, from %d6 on;
// %d7, %d8 and %d9, the same for 16 bytes each.
#include "test/gpu/Mistakes.h"

#include "test/gpu/Device.h"

#include <algorithm>
#include <filesystem>

namespace tenon::ptx {
namespace {
const std::string begin =
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
    "add.s32 %r3, %r1, 32; and.b32 %r3, %r3, 63;\n"
    "ld.param.u64 %d1, [p]; mov.u64 %d6, s;\n"
    "mul.wide.u32 %d3, %r1, 4; add.s64 %d2, %d1, %d3; add.s64 %d4, %d6, %d3;\n"
    "mul.wide.u32 %d5, %r3, 4; add.s64 %d5, %d6, %d5;\n"
    "mul.wide.u32 %d8, %r1, 16; add.s64 %d7, %d1, %d8; add.s64 %d8, %d6, %d8;\n"
    "mul.wide.u32 %d9, %r3, 16; add.s64 %d9, %d6, %d9;\n";

bool isIn(const std::string &line, bool isWrong) {
  switch (line[0]) {
  case ' ':
  case '!':
    return true;
  case '-':
    return !isWrong;
  default: // '+' and '*'
    return isWrong;
  }
}

std::vector<std::string> splitAt(const std::string &text,
                                 const std::string &mark) {
  std::vector<std::string> parts;
  size_t first = 0, found;
  while ((found = text.find(mark, first)) != std::string::npos) {
    parts.push_back(text.substr(first, found - first));
    first = found + mark.size();
  }
  parts.push_back(text.substr(first));
  return parts;
}

void setProperty(Mistake &mistake, const std::string &name,
                 const std::string &value) {
  if (name == "says")
    mistake.says = splitAt(value, " | ");
  else if (name == "counts")
    mistake.counts = value;
  else if (name == "launch")
    std::stringstream(value) >> mistake.blocks >> mistake.threads;
  else if (name == "sm")
    mistake.architecture = std::stoi(value);
  else if (name == "version")
    mistake.version = value;
  else if (name == "variables")
    mistake.variables = value;
  else
    throw std::runtime_error("unknown property " + name + " of a mistake");
}

void readFile(const std::filesystem::path &path,
              std::vector<Mistake> &mistakes) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#')
      continue;
    if (size_t colon = line.find(": "); line.starts_with("mistake: ")) {
      mistakes.emplace_back();
      mistakes.back().kind = path.stem();
      mistakes.back().name = line.substr(colon + 2);
    } else if (std::string(" !-+*").find(line[0]) != std::string::npos) {
      mistakes.at(mistakes.size() - 1).lines.push_back(line);
    } else {
      setProperty(mistakes.at(mistakes.size() - 1), line.substr(0, colon),
                  line.substr(colon + 2));
    }
  }
}
} // namespace

std::string Mistake::text(bool isWrong) const {
  std::string statements = begin;
  for (const std::string &line : lines)
    if (isIn(line, isWrong))
      statements += line.substr(1) + "\n";
  std::string made = moduleOf(statements, "sm_" + std::to_string(architecture),
                              ".shared .align 16 .b8 s[1024];\n" + variables);
  return made.replace(made.find("7.8"), 3, version);
}

std::set<int> Mistake::marked() const {
  std::string made = text(true);
  int line =
      1 + int(std::count(made.begin(),
                         made.begin() + long(made.find(begin) + begin.size()),
                         '\n'));
  std::set<int> result;
  for (const std::string &text : lines) {
    if (text[0] == '!' || text[0] == '*')
      result.insert(line);
    line += isIn(text, true);
  }
  return result;
}

std::vector<Mistake> plantedMistakes() {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry :
       std::filesystem::directory_iterator(TENON_GPU_MISTAKES))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Mistake> mistakes;
  for (const auto &path : paths)
    readFile(path, mistakes);
  return mistakes;
}

} // namespace tenon::ptx
