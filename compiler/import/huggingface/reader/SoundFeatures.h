// What preprocessor_config.json says about the features of sound.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SOUNDFEATURES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SOUNDFEATURES_H

#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/Json.h"

namespace tenon::hf {

/// Refuses features other than those that the compiler makes for `model`.
/// Throws ReadFailure.
void checkSoundFeatures(const Json &preprocessor, const WhisperConfig &model);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SOUNDFEATURES_H
