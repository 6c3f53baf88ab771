/* The choice of the image that a device loads: machine code if there is any for
 * it, else the text that its driver compiles best. */
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
  if (image->kind != than->kind)
    return image->kind == TENON_IMAGE_CUBIN;
  if (image->capability != than->capability)
    return image->capability > than->capability;
  return image->exact > than->exact;
}

const tenon_image_desc *tenon_choose_image(const tenon_device_desc *device,
                                           int32_t capability) {
  const tenon_image_desc *best = NULL;
  for (int32_t i = 0; i < device->num_images; ++i) {
    const tenon_image_desc *image = &device->images[i];
    if (fits(image, capability) && (!best || is_better(image, best)))
      best = image;
  }
  return best;
}
