// Byte pair encoding of one word: as long as two neighbours have a merge, the
// leftmost pair of the lowest rank becomes one token.
#ifndef TENON_TOKENIZERS_APPLYMERGES_H
#define TENON_TOKENIZERS_APPLYMERGES_H

#include "tokenizers/MergeTable.h"

namespace tenon::tokenizers {

/// Replaces the tokens from `begin` on by merged ones. Takes O(n log n) time.
void applyMerges(std::vector<uint32_t> &tokens, size_t begin,
                 const MergeTable &merges);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_APPLYMERGES_H
