/* The choice of the image that a device loads: the machine code, or the text,
 * of the greatest architecture that it runs. */
#include "nvidia.h"

/* True if the image runs on a device of this capability. */
static int fits(const tenon_image_desc *image, int32_t capability) {
  if (image->exact)
    return image->capability == capability;
  if (image->capability > capability)
    return 0;
  return image->kind == TENON_IMAGE_PTX ||
         image->capability / 10 == capability / 10;
}

static int is_better(const tenon_image_desc *image,
                     const tenon_image_desc *than) {
  if (image->capability != than->capability)
    return image->capability > than->capability;
  return image->exact > than->exact;
}

const tenon_image_desc *tenon_choose_image(const tenon_device_desc *device,
                                           int32_t capability,
                                           tenon_image_kind kind) {
  const tenon_image_desc *best = NULL;
  for (int32_t i = 0; i < device->num_images; ++i) {
    const tenon_image_desc *image = &device->images[i];
    if (image->kind == (int32_t)kind && fits(image, capability) &&
        (!best || is_better(image, best)))
      best = image;
  }
  return best;
}
