/* The names of CPU features, and the check that this host has them. */
#include "cpu.h"

#include "detect.h"
#include "tenon.h"

static const struct {
  uint64_t bit;
  const char *name;
} features[] = {
#define ROW(feature, name, leaf, position, saved) {TENON_CPU_##feature, name},
    TENON_CPU_FEATURES(ROW)
#undef ROW
};

void tenon_cpu_add_names(tenon_text *text, uint64_t bits) {
  const char *separator = "";
  for (int i = 0; i < 64; ++i) {
    uint64_t bit = UINT64_C(1) << i;
    if (!(bits & bit))
      continue;
    const char *name = tenon_cpu_feature_name(bit);
    if (name)
      tenon_text_add(text, "%s%s", separator, name);
    else
      tenon_text_add(text, "%sbit %d", separator, i);
    separator = ", ";
  }
}

uint64_t tenon_masked_features(uint64_t mask) {
  uint64_t host = tenon_detect_features();
  return mask != 0 ? host & mask : host;
}

uint64_t tenon_host_cpu_features(void) { return tenon_detect_features(); }

const char *tenon_cpu_feature_name(uint64_t bit) {
  for (unsigned i = 0; i < sizeof features / sizeof features[0]; ++i)
    if (features[i].bit == bit)
      return features[i].name;
  return NULL;
}
