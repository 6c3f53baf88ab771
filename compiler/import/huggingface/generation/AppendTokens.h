// The end of a step that chooses a token for each text: it finds candidates,
// and one of them becomes part of the text.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_APPENDTOKENS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_APPENDTOKENS_H

#include "compiler/import/huggingface/generation/Call.h"

namespace tenon::hf {

/// Tokens for each text: as many as contrastive search tries, else one. Each
/// belongs to a row of the model.
struct Proposal {
  mlir::Value tokens; ///< i64 [rows]
  mlir::Value logs;   ///< f32 [rows]: their log-probabilities
  mlir::Value best;   ///< f32 [texts]: the score of the best one
};

/// Keeps `found` in the states, and pads for texts that have ended. Ends the
/// run if another text has no token to choose.
void writeProposal(const Step &step, const Proposal &found);

/// Appends candidate `place`, i64 [texts], to each text. Writes the next half
/// of all states that a step changes.
void appendTokens(const Step &step, mlir::Value place);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_APPENDTOKENS_H
