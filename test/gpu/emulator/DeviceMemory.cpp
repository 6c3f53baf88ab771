// Allocations lie a gap apart, so that a row too many is outside of all.
#include "test/gpu/emulator/DeviceMemory.h"

#include <new>
#include <sys/mman.h>

namespace tenon::ptx {

constexpr uint64_t alignment = 256, gap = 4096, hugePage = 2 << 20;

Region::Region(uint64_t bytes) : bytes(bytes ? bytes : 1) {
  void *made = mmap(nullptr, this->bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (made == MAP_FAILED)
    throw std::bad_alloc();
  start = static_cast<uint8_t *>(made);
  // Weights of 500 MB have histories of 2 GB.
  if (bytes >= hugePage)
    madvise(made, bytes, MADV_HUGEPAGE);
}

Region::~Region() { munmap(start, bytes); }

void Region::clear() { madvise(start, bytes, MADV_DONTNEED); }

Allocation::Allocation(uint64_t base, uint64_t bytes)
    : base(base), bytes(bytes), data(bytes), written(bytes / 8 + 1),
      words((bytes / 4 + 1) * sizeof(WordHistory)),
      constants((bytes / 4 + 1) * sizeof(uint16_t)) {}

void Allocation::setConstant(uint64_t address, uint64_t count,
                             uint32_t launch) {
  hasConstants = true;
  auto *launches = reinterpret_cast<uint16_t *>(constants.data());
  for (uint64_t i = (address - base) / 4; i * 4 < address - base + count; ++i)
    launches[i] = uint16_t(launch);
}

bool Allocation::isConstant(uint64_t address, uint64_t count,
                            uint32_t launch) const {
  if (!hasConstants)
    return false;
  auto *launches = reinterpret_cast<const uint16_t *>(constants.data());
  for (uint64_t i = (address - base) / 4; i * 4 < address - base + count; ++i)
    if (launches[i] == launch)
      return true;
  return false;
}

bool Allocation::isWritten(uint64_t address, uint64_t count) const {
  uint64_t first = address - base;
  const uint8_t *bits = written.data();
  // Aligned words of up to eight bytes lie in one byte of bits.
  if (first % 8 + count <= 8) {
    uint8_t wanted = uint8_t(((1u << count) - 1) << (first % 8));
    return (bits[first / 8] & wanted) == wanted;
  }
  for (uint64_t i = first, end = first + count; i < end;) {
    bool isWhole = i % 8 == 0 && i + 8 <= end;
    if (isWhole ? bits[i / 8] != 0xff : !(bits[i / 8] >> (i % 8) & 1))
      return false;
    i += isWhole ? 8 : 1;
  }
  return true;
}

void Allocation::setWritten(uint64_t address, uint64_t count) {
  uint64_t i = address - base, end = i + count;
  uint8_t *bits = written.data();
  for (; i < end && i % 8; ++i)
    bits[i / 8] |= uint8_t(1u << (i % 8));
  for (; i + 8 <= end; i += 8)
    bits[i / 8] = 0xff;
  for (; i < end; ++i)
    bits[i / 8] |= uint8_t(1u << (i % 8));
}

uint64_t DeviceMemory::allocate(uint64_t bytes) {
  if (bytes > limit || used > limit - bytes)
    return 0;
  uint64_t base = nextBase;
  nextBase += (bytes + gap + alignment - 1) / alignment * alignment;
  allocations[base] = std::make_unique<Allocation>(base, bytes);
  used += bytes;
  return base;
}

bool DeviceMemory::release(uint64_t address) {
  auto found = allocations.find(address);
  if (found == allocations.end())
    return false;
  used -= found->second->bytes;
  released[address] = found->second->bytes;
  recent = nullptr;
  allocations.erase(found);
  return true;
}

Allocation *DeviceMemory::search(uint64_t address, uint64_t bytes) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  Allocation *found = std::prev(after)->second.get();
  uint64_t inside = address - found->base;
  if (inside > found->bytes || bytes > found->bytes - inside)
    return nullptr;
  return recent = found;
}

std::string DeviceMemory::absence(uint64_t address, uint64_t bytes) const {
  std::string text = std::to_string(bytes) + " bytes at address " +
                     std::to_string(address) + ", ";
  auto gone = released.upper_bound(address);
  if (gone != released.begin() &&
      address - std::prev(gone)->first < std::prev(gone)->second)
    return text + "which was freed";
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return text + "which is in no allocation";
  const Allocation &before = *std::prev(after)->second;
  return text + "which is byte " + std::to_string(address - before.base) +
         " of an allocation of " + std::to_string(before.bytes);
}

void DeviceMemory::clearHistory() {
  for (auto &[base, allocation] : allocations) {
    allocation->words.clear();
    allocation->constants.clear();
    allocation->parts.clear();
  }
}

} // namespace tenon::ptx
