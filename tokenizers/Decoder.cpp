// A token goes through the token steps one by one, then it is joined to the
// text, which goes through the text steps. A step that waits keeps what it has.
#include "tokenizers/Decoder.h"

#include "tokenizers/ByteLevel.h"
#include "tokenizers/Utf8.h"

namespace tenon::tokenizers {

Decoding::Decoding(const Decoder &decoder, bool promptly)
    : decoder(decoder), promptly(promptly) {
  reset();
}

void Decoding::reset() {
  tokenStates.assign(decoder.tokenSteps.size(), {});
  textStates.assign(decoder.textSteps.size(), {});
  for (size_t i = 0; i < textStates.size(); ++i)
    textStates[i].startLeft = decoder.textSteps[i].start;
  hasTokens = false;
  openBytes.clear();
}

void Decoding::push(std::string_view token, std::string &result) {
  pushToken(0, token, result);
}

/// The byte of a token like `<0x4f>`.
static std::optional<char> byteOf(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>')
    return std::nullopt;
  unsigned value = 0;
  for (char digit : token.substr(3, 2)) {
    if (digit >= '0' && digit <= '9')
      value = value * 16 + (digit - '0');
    else if (digit >= 'a' && digit <= 'f')
      value = value * 16 + (digit - 'a' + 10);
    else if (digit >= 'A' && digit <= 'F')
      value = value * 16 + (digit - 'A' + 10);
    else
      return std::nullopt;
  }
  return static_cast<char>(value);
}

void Decoding::pushToken(size_t step, std::string_view token,
                         std::string &result) {
  if (step == decoder.tokenSteps.size())
    return joinToken(token, result);
  const Decoder::TokenStep &how = decoder.tokenSteps[step];
  StepState &state = tokenStates[step];
  if (const auto *replace = std::get_if<ReplaceInToken>(&how)) {
    pushToken(step + 1, replaceAll(token, replace->pattern, replace->content),
              result);
  } else if (const auto *spaces = std::get_if<SpacesFromMarks>(&how)) {
    std::string_view space = state.isFirst && !spaces->keepFirst ? "" : " ";
    state.isFirst = false;
    pushToken(step + 1, replaceAll(token, Pattern::ofText(spaces->mark), space),
              result);
  } else if (const auto *pieces = std::get_if<SpacesOfPieces>(&how)) {
    pushToken(step + 1, spacesOf(token, *pieces, state), result);
  } else if (const auto *strip = std::get_if<StripEnds>(&how)) {
    pushToken(step + 1, stripEnds(token, *strip), result);
  } else if (std::optional<char> byte = byteOf(token)) {
    pushByte(step, *byte, result);
  } else {
    endBytes(step, result);
    pushToken(step + 1, token, result);
  }
}

std::string Decoding::spacesOf(std::string_view piece, SpacesOfPieces how,
                               StepState &state) const {
  constexpr std::string_view mark = "\u2581";
  bool leavesOut = state.isFirst &&
                   how.leftOut != SpacesOfPieces::LeftOut::None &&
                   piece.starts_with(mark);
  if (leavesOut)
    piece.remove_prefix(mark.size());
  if (!piece.empty() ||
      (leavesOut && how.leftOut == SpacesOfPieces::LeftOut::One))
    state.isFirst = false;
  static const Pattern marks = Pattern::ofText(std::string(mark));
  return replaceAll(piece, marks, " ");
}

void Decoding::pushByte(size_t step, char byte, std::string &result) {
  std::string &bytes = tokenStates[step].bytes;
  bytes += byte;
  const auto &how = std::get<BytesFromTokens>(decoder.tokenSteps[step]);
  while ((promptly || how.byCharacter) && !bytes.empty()) {
    Sequence sequence = sequenceAt(bytes, 0);
    if (sequence.open)
      return;
    if (sequence.whole)
      pushToken(step + 1, std::string(bytes, 0, sequence.length), result);
    for (size_t i = 0; !sequence.whole && i < sequence.length; ++i)
      pushToken(step + 1, replacementCharacter, result);
    bytes.erase(0, sequence.length);
  }
}

/// Ends a run of tokens that are bytes.
void Decoding::endBytes(size_t step, std::string &result) {
  std::string bytes;
  bytes.swap(tokenStates[step].bytes);
  if (bytes.empty())
    return;
  if (isUtf8(bytes))
    return pushToken(step + 1, bytes, result);
  for (size_t i = 0; i < bytes.size(); ++i)
    pushToken(step + 1, replacementCharacter, result);
}

void Decoding::joinToken(std::string_view token, std::string &result) {
  if (decoder.join == Decoder::Join::AsBytes) {
    std::string text;
    appendBytesOfCharacters(openBytes, token);
    size_t at = 0;
    while (at < openBytes.size()) {
      Sequence sequence = sequenceAt(openBytes, at);
      if (sequence.open)
        break;
      text += sequence.whole
                  ? std::string_view(openBytes).substr(at, sequence.length)
                  : replacementCharacter;
      at += sequence.length;
    }
    openBytes.erase(0, at);
    return pushText(0, text, result);
  }
  if (decoder.join == Decoder::Join::WithSpaces && hasTokens)
    pushText(0, " ", result);
  hasTokens = true;
  pushText(0, token, result);
}

void Decoding::pushText(size_t step, std::string_view text,
                        std::string &result) {
  if (step == decoder.textSteps.size()) {
    result += text;
    return;
  }
  const StripEnds &strip = decoder.textSteps[step];
  StepState &state = textStates[step];
  while (state.startLeft > 0 && !text.empty()) {
    --state.startLeft;
    if (!text.starts_with(strip.content))
      state.startLeft = 0;
    else
      text.remove_prefix(strip.content.size());
  }
  std::string whole = state.held + std::string(text);
  size_t end = whole.size();
  for (size_t i = 0; i < strip.stop; ++i)
    if (std::string_view(whole).substr(0, end).ends_with(strip.content))
      end -= strip.content.size();
  state.held = whole.substr(end);
  whole.resize(end);
  pushText(step + 1, whole, result);
}

void Decoding::finish(std::string &result) {
  for (size_t step = 0; step < tokenStates.size(); ++step)
    endBytes(step, result);
  if (!openBytes.empty())
    pushText(0, wellFormed(openBytes), result);
  reset();
}

std::string_view stripEnds(std::string_view token, const StripEnds &strip) {
  for (size_t i = 0; i < strip.start && token.starts_with(strip.content); ++i)
    token.remove_prefix(strip.content.size());
  for (size_t i = 0; i < strip.stop && token.ends_with(strip.content); ++i)
    token.remove_suffix(strip.content.size());
  return token;
}

} // namespace tenon::tokenizers
