// The tokens that a step has chosen become part of their texts.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_APPENDTOKENS_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_APPENDTOKENS_H

#include "compiler/import/huggingface/generation/Call.h"

namespace tenon::hf {

/// True for the texts that have not ended, i1 [texts].
mlir::Value openTexts(const Step &step);

/// Appends `tokens`, i64 [texts], and a pad to the texts that have ended.
/// `logs` are the log-probabilities that `output_scores` wants. `owners` has
/// the row of the cache that holds the token for each row of the model, null
/// for the row itself. Writes the next half of all states that a step changes.
void appendTokens(const Step &step, mlir::Value tokens, mlir::Value logs,
                  mlir::Value owners = {});

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_GENERATION_APPENDTOKENS_H
