// All instructions that the emulator has.
#include "test/gpu/emulator/Decoding.h"

#include <unordered_map>

namespace tenon::ptx {

static const std::unordered_map<std::string, InstructionRow> &table() {
  static const std::unordered_map<std::string, InstructionRow> all = [] {
    std::unordered_map<std::string, InstructionRow> made;
    for (const auto &rows :
         {integerRows(), bitRows(), floatRows(), convertRows(), compareRows(),
          moveRows(), memoryRows(), controlRows(), warpRows(), atomicRows(),
          asyncCopyRows(), matrixRows(), matrixMoveRows(), mbarrierRows(),
          warpgroupRows()})
      for (const InstructionRow &row : rows)
        made.emplace(row.name, row);
    return made;
  }();
  return all;
}

const InstructionRow *instructionNamed(const std::string &name) {
  auto found = table().find(name);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<std::string> instructionNames() {
  std::vector<std::string> names;
  for (const auto &[name, row] : table())
    names.push_back(name);
  return names;
}

} // namespace tenon::ptx
