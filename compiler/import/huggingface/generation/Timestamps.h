// The rules of Whisper's timestamps: tokens after `no_timestamps_token_id`,
// which stand in pairs around pieces of text.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_TIMESTAMPS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_TIMESTAMPS_H

#include "compiler/import/huggingface/generation/Scores.h"

namespace tenon::hf {

/// `timestamps` and `max_initial_timestamp_index`, over the tokens after the
/// prompt. Nothing changes for models that write no speech.
void keepTimestampRules(Scores &scores);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_TIMESTAMPS_H
