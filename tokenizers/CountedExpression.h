// Regular expressions that count the turns of their repetitions.
#ifndef TENON_TOKENIZERS_COUNTEDEXPRESSION_H
#define TENON_TOKENIZERS_COUNTEDEXPRESSION_H

#include <string>
#include <string_view>

namespace tenon::tokenizers {

/// `pattern`, which is valid in Oniguruma's syntax, with a callout in each part
/// that is repeated or optional, and in each further alternative: "ab*|c" is
/// "a(?:(?{})b)*|(?{})c". It matches the same texts.
///
/// The steps of a search are at most a few times the length of the pattern for
/// each place where a match is tried and for each call. So a limit of
/// calls limits the time. Throws Failure (unsupported) if a part takes steps
/// that no callout counts, or cannot be changed: references to groups, calls,
/// callouts, conditions, absent parts, \X, repetitions in a lookbehind, the
/// option x, and rare escapes.
std::string withCounts(std::string_view pattern);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_COUNTEDEXPRESSION_H
