// A WAV file that was cut off: libsndfile reads what is left without a word.
#ifndef TENON_TOOLS_TENON_TRANSCRIBE_WAVLENGTH_H
#define TENON_TOOLS_TENON_TRANSCRIBE_WAVLENGTH_H

#include <string>

namespace tenon::cli {

/// Says why the WAV file is damaged: its header announces more sound than there
/// is. Empty for a whole one, for another file, and for a stream, whose header
/// was written before its length was known.
std::string checkWavLength(int file);

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TRANSCRIBE_WAVLENGTH_H
