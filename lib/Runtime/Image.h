//===- Image.h - Looks into PTX and cubins -------------------------------*- C++ -*-===//
//
// What the runtime reads from an image before the driver does: its kind, and for which devices it
// was made.
//
//===-------------------------------------------------------------------------------===//

#ifndef TILEC_LIB_RUNTIME_IMAGE_H
#define TILEC_LIB_RUNTIME_IMAGE_H

#include "tilec/runtime_c.h"

namespace tilec {

/// The kind of an image and the device it is for.
struct ImageInfo {
  bool isCubin = false;
  int capability = 0; ///< 10 * major + minor, as in sm_90; 0 if the image does not say
  char suffix = '\0'; ///< 'a' or 'f' of a PTX target such as sm_90a; a cubin does not tell
  int ptxMajor = 0;   ///< of PTX's .version
  int ptxMinor = 0;
  bool hasLines = false; ///< PTX that says which lines of a source its code is from
};

/// Checks that `bytes` bytes at `image` are PTX text or a complete cubin, and describes it. The
/// driver takes no size and would read past the end of one that was cut off.
tilec_status inspectImage(const void *image, size_t bytes, ImageInfo &info);

/// Whether a device of this compute capability can run the image, by the compatibility rules.
bool canRunOn(const ImageInfo &info, int major, int minor);

} // namespace tilec

#endif // TILEC_LIB_RUNTIME_IMAGE_H
