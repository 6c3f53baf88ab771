// Writes the header of a safetensors file. The format demands that every byte
// of the data section belongs to a tensor, so the gaps between weights are
// named too.
#include "compiler/artifact/WeightFile.h"

#include "compiler/artifact/ModelFacts.h"
#include "dialects/tenon/TenonDialect.h"
#include "runtime/tenon_abi.h"
#include "runtime/tenon_note.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tenon {
namespace {
const char *dtypeName(int32_t dtype) {
  static const char *const names[] = {"?",   "F32", "F64", "F16", "BF16",
                                      "I8",  "I16", "I32", "I64", "U8",
                                      "U16", "U32", "U64", "BOOL"};
  return dtype > 0 && dtype <= TENON_BOOL ? names[dtype] : names[0];
}
} // namespace

std::multimap<uint64_t, WeightOp> placedWeights(ModuleOp weights) {
  std::multimap<uint64_t, WeightOp> placed;
  for (auto weight : weights.getOps<WeightOp>())
    if (std::optional<uint64_t> offset = weight.getOffset())
      placed.emplace(*offset, weight);
  return placed;
}

std::string hashDigits(uint64_t hash) {
  std::string digits = llvm::utohexstr(hash, /*LowerCase=*/true);
  return std::string(16 - digits.size(), '0') + digits;
}

std::string weightFileHeader(ModuleOp weights, uint64_t total,
                             uint64_t &placeOfHash) {
  std::string json;
  llvm::raw_string_ostream out(json);
  out << "{\"__metadata__\":{\"format\":\"pt\",\"" << TENON_WEIGHTS_METADATA_KEY
      << "\":\"";
  placeOfHash = 8 + json.size();
  out << std::string(16, '0') << "\"}";
  int64_t gaps = 0;
  uint64_t at = 0;
  auto entry = [&](StringRef name, StringRef dtype, ArrayRef<int64_t> shape,
                   uint64_t end) {
    out << ',' << llvm::json::Value(llvm::json::fixUTF8(name))
        << ":{\"dtype\":\"" << dtype << "\",\"shape\":[";
    llvm::interleave(shape, out, ",");
    out << "],\"data_offsets\":[" << at << ',' << end << "]}";
    at = end;
  };
  auto gapTo = [&](uint64_t end) {
    if (at < end)
      entry("tenon.gap." + std::to_string(gaps++), "U8", {int64_t(end - at)},
            end);
  };
  for (auto [offset, weight] : placedWeights(weights)) {
    gapTo(offset);
    auto type = cast<RankedTensorType>(weight.getType());
    int32_t dtype = dtypeOf(type.getElementType());
    entry(weight.getSymName(), dtypeName(dtype), type.getShape(),
          at + type.getNumElements() * elementBytes(dtype));
  }
  gapTo(total);
  out << '}';
  while ((8 + json.size()) % TENON_WEIGHT_ALIGNMENT != 0)
    json.push_back(' ');
  std::string header(8, '\0');
  for (int i = 0; i < 8; ++i)
    header[i] = char(uint64_t(json.size()) >> (8 * i));
  return header + json;
}

} // namespace tenon
