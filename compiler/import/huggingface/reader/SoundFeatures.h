// What a checkpoint's files say about the features of sound:
// preprocessor_config.json, or since Transformers 5 the member
// feature_extractor of processor_config.json.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SOUNDFEATURES_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SOUNDFEATURES_H

#include "compiler/import/huggingface/reader/Config.h"
#include "compiler/import/huggingface/reader/ConfigReader.h"

namespace tenon::hf {

/// Refuses features other than those that the compiler makes for `model`.
/// Throws ReadFailure.
void checkSoundFeatures(const ConfigReader &config, const WhisperConfig &model);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_READER_SOUNDFEATURES_H
