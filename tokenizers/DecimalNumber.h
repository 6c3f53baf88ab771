// Decimal numbers as Hugging Face's library reads them.
#ifndef TENON_TOKENIZERS_DECIMALNUMBER_H
#define TENON_TOKENIZERS_DECIMALNUMBER_H

#include <string_view>

namespace tenon::tokenizers {

/// The value of a number of JSON. It may be a few units in the last place from
/// the nearest double: sums of scores that should be equal are ordered by such
/// units, so they must be those of the library that trained the models.
double decimalNumber(std::string_view text);

} // namespace tenon::tokenizers

#endif // TENON_TOKENIZERS_DECIMALNUMBER_H
