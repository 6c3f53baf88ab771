// How a layer's queries find keys and values. The models compute queries, keys
// and values of their tokens, and do not know which other tokens there are: an
// entry decides that.
#ifndef TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_ATTEND_H
#define TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_ATTEND_H

#include "compiler/import/graph/GraphBuilder.h"

namespace tenon::hf {

/// The projections of one layer's tokens: rows x positions x heads x depth.
/// Queries are those of kept tokens. Keys and values may have fewer heads than
/// queries, which share them.
struct Projections {
  mlir::Value queries, keys, values;
  /// Added to scores, [rows, heads, positions, keys]; null for none. A row's
  /// key k is that of position k.
  mlir::Value bias = {};
};

class Attend {
public:
  virtual ~Attend() = default;

  /// The average of values for each query, of the queries' shape.
  /// Scores are multiplied by `scale`.
  virtual mlir::Value operator()(GraphBuilder &g, int64_t layer,
                                 const Projections &tokens,
                                 double scale) const = 0;

  /// The tokens of `x`, [rows, positions, ...], whose results are needed after
  /// the attention of `layer`.
  virtual mlir::Value kept(GraphBuilder &, int64_t /*layer*/,
                           mlir::Value x) const {
    return x;
  }

  /// The keys that the queries of `tokens`, [rows, positions, ..], may read.
  virtual Size keys(GraphBuilder &g, mlir::Value tokens) const {
    return g.size(tokens, 1);
  }

  /// The average of the encoder's values for each query, of the queries' shape.
  /// Called by models that have an encoder.
  virtual mlir::Value cross(GraphBuilder &, int64_t /*layer*/,
                            mlir::Value queries, double /*scale*/) const {
    return queries;
  }
};

/// Each token attends to the tokens of its row up to itself.
class AttendInSequence : public Attend {
public:
  mlir::Value operator()(GraphBuilder &g, int64_t layer,
                         const Projections &tokens,
                         double scale) const override;
};

/// The average of all values for each query: in an encoder, or of an item that
/// an encoder has computed. Keys and values have the queries' order.
mlir::Value attendToAll(GraphBuilder &g, const Projections &tokens,
                        double scale);

} // namespace tenon::hf

#endif // TENON_COMPILER_IMPORT_HUGGINGFACE_BLOCKS_ATTEND_H
