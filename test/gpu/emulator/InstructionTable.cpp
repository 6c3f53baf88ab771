// All instructions that the emulator has.
#include "test/gpu/emulator/Decoding.h"

#include <unordered_map>

namespace tenon::ptx {

const InstructionRow *instructionNamed(const std::string &name) {
  static const std::unordered_map<std::string, InstructionRow> table = [] {
    std::unordered_map<std::string, InstructionRow> all;
    for (const auto &rows :
         {integerRows(), bitRows(), floatRows(), convertRows(), compareRows(),
          moveRows(), memoryRows(), controlRows(), warpRows(), atomicRows(),
          asyncCopyRows()})
      for (const InstructionRow &row : rows)
        all.emplace(row.name, row);
    return all;
  }();
  auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

} // namespace tenon::ptx
