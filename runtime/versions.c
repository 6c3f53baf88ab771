/* The checks of a model's versions and of their parts for devices. */
#include <string.h>

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
        kernel->threads > MOST_THREADS || kernel->shared_bytes < 0)
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
