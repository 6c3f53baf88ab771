// Random numbers without state: SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014) at a place of a stream, which a key
// chooses.
#ifndef TENON_COMPILER_IMPORT_GRAPH_RANDOMWORDS_H
#define TENON_COMPILER_IMPORT_GRAPH_RANDOMWORDS_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon {

/// The element type of random words: u64.
mlir::Type randomWordType(GraphBuilder &g);

/// The words of the streams that begin at `starts`, at `places` from 0. Both
/// are of u64 and broadcastable.
mlir::Value randomWords(GraphBuilder &g, mlir::Value starts,
                        mlir::Value places);

/// The start of the stream number `number` below a stream.
uint64_t randomStream(uint64_t start, uint64_t number);
mlir::Value randomStream(GraphBuilder &g, mlir::Value start,
                         mlir::Value number);

/// The top `bits` bits of words in the float type `element`, which must hold
/// them exactly, times 2^-bits: uniform numbers in [0, 1).
mlir::Value uniformNumbers(GraphBuilder &g, mlir::Value words, int64_t bits,
                           mlir::Type element);

} // namespace tenon

#endif // TENON_COMPILER_IMPORT_GRAPH_RANDOMWORDS_H
