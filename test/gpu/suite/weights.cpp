// Weights of the models in the GPU suite, drawn from a seed where the suite
// runs, so that its archive is small.
//
//   suite-weights draw STEM    writes STEM.safetensors
//   suite-weights adopt STEM   the same, and makes STEM.so expect them
//
// STEM.draw describes the blob, a line for each part, after the seed:
//   seed SEED
//   normal OFFSET COUNT MEAN DEVIATION   elements of f32
//   exact OFFSET BYTES                   the next bytes of STEM.exact
// All other bytes are zero. STEM.header is the head of the file, up to the
// blob. Every machine draws the same bits: integers are added, and each element
// is rounded twice.
#include "runtime/seal.h"
#include "runtime/tenon_note.h"
#include "runtime/xxh64.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file)
    throw std::runtime_error(path + ": cannot be read");
  return bytes;
}

void writeFile(const std::string &path,
               std::initializer_list<const std::string *> parts) {
  std::ofstream file(path, std::ios::binary);
  for (const std::string *part : parts)
    file.write(part->data(), std::streamsize(part->size()));
  file.close();
  if (!file)
    throw std::runtime_error(path + ": cannot be written");
}

/// A number for a place: the finalizer of SplitMix64.
uint64_t drawn(uint64_t place) {
  uint64_t x = (place + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return x ^ x >> 31;
}

/// The sum of four uniform numbers, of mean 0 and deviation 1.
float normal(uint64_t seed, uint64_t place) {
  uint64_t bits = drawn(drawn(seed) + place);
  int32_t sum = -2 * 65535;
  for (int i = 0; i < 64; i += 16)
    sum += int32_t(bits >> i & 65535);
  return float(sum) * (1 / 37836.95f);
}

/// The blob that STEM.draw describes.
std::string draw(const std::string &stem, size_t bytes) {
  std::string blob(bytes, '\0'), exact = readFile(stem + ".exact");
  std::istringstream lines(readFile(stem + ".draw"));
  size_t taken = 0;
  uint64_t seed = 0;
  std::string word;
  if (!(lines >> word >> seed) || word != "seed")
    throw std::runtime_error(stem + ".draw: expected a seed");
  for (std::string line; std::getline(lines >> std::ws, line);) {
    std::istringstream words(line);
    std::string kind;
    size_t offset = 0, count = 0;
    float mean = 0, deviation = 0;
    words >> kind >> offset >> count;
    bool isNormal = kind == "normal";
    if (isNormal)
      words >> mean >> deviation;
    if (!words || (!isNormal && kind != "exact") || offset > bytes ||
        count > (bytes - offset) / (isNormal ? sizeof(float) : 1) ||
        (!isNormal && count > exact.size() - taken))
      throw std::runtime_error(stem + ".draw: wrong line: " + line);
    if (!isNormal) {
      std::copy_n(exact.begin() + ptrdiff_t(taken), count,
                  blob.begin() + ptrdiff_t(offset));
      taken += count;
      continue;
    }
    for (size_t i = 0; i < count; ++i) {
      size_t place = offset + i * sizeof(float);
      float value = deviation * normal(seed, place);
      value += mean;
      std::memcpy(&blob[place], &value, sizeof value);
    }
  }
  return blob;
}

/// The bytes of the blob, the last offset that the header names.
size_t blobBytes(const std::string &header) {
  size_t end = header.rfind(']'), comma = header.rfind(',', end);
  if (end == std::string::npos || comma == std::string::npos)
    throw std::runtime_error("the header names no tensor");
  return std::stoull(header.substr(comma + 1, end - comma - 1));
}

/// Where the header has the 16 digits of the hash.
size_t placeOfDigits(const std::string &header) {
  size_t key = header.find("\"" TENON_WEIGHTS_METADATA_KEY "\":\"");
  if (key == std::string::npos)
    throw std::runtime_error("the header has no hash");
  return key + sizeof("\"" TENON_WEIGHTS_METADATA_KEY "\":\"") - 1;
}

std::string digitsOf(uint64_t hash) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx",
                static_cast<unsigned long long>(hash));
  return digits;
}

/// Replaces the hash in the artifact by that of the drawn blob.
void adopt(const std::string &stem, uint64_t before, uint64_t after) {
  std::string artifact = readFile(stem + ".so");
  std::string old(reinterpret_cast<const char *>(&before), sizeof before);
  size_t place = artifact.find(old);
  if (place == std::string::npos ||
      artifact.find(old, place + 1) != std::string::npos)
    throw std::runtime_error(stem + ".so: expected one place of the hash");
  std::memcpy(&artifact[place], &after, sizeof after);
  writeFile(stem + ".so", {&artifact});
  char reason[256];
  if (tenon_seal_artifact((stem + ".so").c_str(), reason, sizeof reason) != 0)
    throw std::runtime_error(stem + ".so: " + reason);
}

int run(const std::string &verb, const std::string &stem) {
  std::string header = readFile(stem + ".header");
  std::string blob = draw(stem, blobBytes(header));
  uint64_t hash = tenon_xxh64_of(blob.data(), blob.size());
  size_t place = placeOfDigits(header);
  std::string stated = header.substr(place, 16);
  if (verb == "adopt") {
    adopt(stem, std::stoull(stated, nullptr, 16), hash);
    header.replace(place, 16, digitsOf(hash));
    writeFile(stem + ".header", {&header});
  } else if (stated != digitsOf(hash)) {
    throw std::runtime_error(stem + ": the weights that this machine draws "
                                    "have other bits");
  }
  writeFile(stem + ".safetensors", {&header, &blob});
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::string verb = argc == 3 ? argv[1] : "";
  if (verb != "draw" && verb != "adopt") {
    std::fputs("usage: suite-weights draw|adopt STEM\n", stderr);
    return 2;
  }
  try {
    return run(verb, argv[2]);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "suite-weights: %s\n", error.what());
    return 1;
  }
}
