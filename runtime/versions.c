/* The versions of a model: the checks of their tables, and the choice of the
 * one that runs. */
#include <string.h>

#include "cpu.h"
#include "detect.h"
#include "model.h"

enum { MOST_THREADS = 1024, LEAST_CAPABILITY = 10 };

static int is_named(const char *name) { return name && *name; }

/* PTX is passed to the driver as a C string. */
static int ends_in_zero(const tenon_image_desc *image) {
  const char *text = image->data;
  return memchr(text, 0, image->bytes) == text + image->bytes - 1;
}

static int image_is_sane(const tenon_image_desc *image) {
  return is_named(image->architecture) &&
         image->capability >= LEAST_CAPABILITY &&
         (image->kind == TENON_IMAGE_PTX || image->kind == TENON_IMAGE_CUBIN) &&
         (image->exact == 0 || image->exact == 1) && image->reserved == 0 &&
         image->data && image->bytes > 0 && image->bytes <= INT64_MAX &&
         (image->kind != TENON_IMAGE_PTX || ends_in_zero(image));
}

static int device_is_sane(const tenon_device_desc *device) {
  if (!is_named(device->kind) || device->num_images < 1 || !device->images ||
      device->num_kernels < 0 || (device->num_kernels > 0 && !device->kernels))
    return 0;
  for (int32_t i = 0; i < device->num_images; ++i)
    if (!image_is_sane(&device->images[i]))
      return 0;
  for (int32_t i = 0; i < device->num_kernels; ++i) {
    const tenon_device_kernel_desc *kernel = &device->kernels[i];
    if (!is_named(kernel->name) || kernel->threads < 1 ||
        kernel->threads > MOST_THREADS || kernel->shared_bytes < 0 ||
        kernel->num_parameters < 1 ||
        kernel->num_parameters > TENON_MOST_PARAMETERS || kernel->reserved != 0)
      return 0;
  }
  return 1;
}

int tenon_versions_are_sane(const tenon_model_desc *desc) {
  if (desc->num_versions < 1 || !desc->versions)
    return 0;
  const tenon_version_desc *least = NULL, *last = NULL;
  for (int32_t i = 0; i < desc->num_versions; ++i) {
    const tenon_version_desc *version = &desc->versions[i];
    /* Versions for CPUs come first. */
    if (!version->name || (!version->device && last && last->device) ||
        (version->device && !device_is_sane(version->device)))
      return 0;
    if (!version->device)
      least = version;
    last = version;
  }
  return (least ? least : last)->cpu_features == desc->cpu_features;
}

/* Reads "cuda" or "cuda:N". Returns 0 if the text is neither. */
static int read_ordinal(const char *device, int32_t *ordinal) {
  enum { MOST_DIGITS = 4 };
  int32_t number = 0;
  if (strncmp(device, "cuda", 4) != 0)
    return 0;
  const char *at = device + 4;
  if (*at == ':') {
    size_t digits = strspn(++at, "0123456789");
    if (digits == 0 || digits > MOST_DIGITS)
      return 0;
    for (; digits > 0; --digits)
      number = 10 * number + (*at++ - '0');
  }
  *ordinal = number;
  return *at == 0;
}

static int has_cpu_version(const tenon_model_desc *desc) {
  return !desc->versions[0].device;
}

static tenon_status no_such_version(const tenon_model_desc *desc,
                                    const char *asked, tenon_text *text) {
  tenon_text_add(text, "the artifact has no code for %s; it has code for ",
                 asked);
  for (int32_t i = 0; i < desc->num_versions; ++i) {
    tenon_text_add(text, i ? ", " : "");
    tenon_text_add_name(text, desc->versions[i].name);
  }
  return TENON_BAD_INPUT;
}

static tenon_status choose_device_version(tenon_model *model,
                                          const tenon_open_options *options,
                                          tenon_text *text) {
  const tenon_model_desc *desc = model->desc;
  uint64_t host = tenon_masked_features(options->cpu_feature_mask);
  const tenon_version_desc *last = NULL;
  for (int32_t i = 0; i < desc->num_versions; ++i) {
    const tenon_version_desc *version = &desc->versions[i];
    if (!version->device || strcmp(version->device->kind, "nvptx") != 0)
      continue;
    last = version;
    if (!model->version && tenon_can_run(version->cpu_features, host))
      model->version = i + 1;
  }
  if (!last) {
    tenon_status status = no_such_version(desc, "NVIDIA GPUs", text);
    tenon_text_add(text, "\nhelp: open it without a device, or compile the "
                         "model for NVIDIA GPUs");
    return status;
  }
  return model->version ? TENON_OK
                        : tenon_check_cpu(last->cpu_features,
                                          options->cpu_feature_mask, text);
}

tenon_status tenon_choose_version(tenon_model *model,
                                  const tenon_open_options *options,
                                  int32_t *ordinal, tenon_text *text) {
  const tenon_model_desc *desc = model->desc;
  const char *device = options->device;
  *ordinal = -1;
  if (device && *device && strcmp(device, "cpu") != 0) {
    if (read_ordinal(device, ordinal))
      return choose_device_version(model, options, text);
    tenon_text_add(text, "unknown device \"");
    tenon_text_add_name(text, device);
    tenon_text_add(text, "\"; expected \"cpu\", \"cuda\" or \"cuda:N\"");
    return TENON_BAD_INPUT;
  }
  if (!has_cpu_version(desc)) {
    tenon_status status = no_such_version(desc, "CPUs alone", text);
    tenon_text_add(text, "\nhelp: open it with the device \"cuda\"");
    return status;
  }
  tenon_status status =
      tenon_check_cpu(desc->cpu_features, options->cpu_feature_mask, text);
  if (status != TENON_OK)
    return status;
  /* A version is always found: the last one for CPUs needs only the features
   * that were checked above. */
  model->version =
      tenon_first_version(desc->versions, desc->num_versions,
                          tenon_masked_features(options->cpu_feature_mask));
  return TENON_OK;
}
