// The table of model formats.
#ifndef TENON_COMPILER_FORMATS_MODELFORMATS_H
#define TENON_COMPILER_FORMATS_MODELFORMATS_H

#include <span>

namespace tenon {

class ModelFormat;

/// Formats in the order in which they are asked to recognize a file.
using FormatTable = std::span<const ModelFormat *const>;

/// All formats of this compiler.
FormatTable modelFormats();

} // namespace tenon

#endif // TENON_COMPILER_FORMATS_MODELFORMATS_H
