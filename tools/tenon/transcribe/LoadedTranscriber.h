// A transcriber on an open artifact, as a C++ object. An interrupt ends its
// call and not the process.
#ifndef TENON_TOOLS_TENON_TRANSCRIBE_LOADEDTRANSCRIBER_H
#define TENON_TOOLS_TENON_TRANSCRIBE_LOADEDTRANSCRIBER_H

#include "runtime/tenon_transcribe.h"
#include "tools/tenon/LoadedModel.h"
#include "tools/tenon/transcribe/SoundFile.h"

#include <functional>
#include <memory>

namespace tenon::cli {

class LoadedTranscriber {
public:
  /// Opens `artifact`; messages call it `shownAs`.
  Status open(Talk &talk, const std::string &artifact,
              const std::string &shownAs, const LoadedModel::Options &options);

  tenon_transcriber *get() const { return transcriber.get(); }

  /// The model's entry with the options.
  const tenon_function_desc &getStart() const { return *start; }

  tenon_speech_ids getIds() const;

  /// Transcribes the sound, which messages call `soundName`. `call` has the
  /// options. The first interrupt ends the call with `interruptStatus`.
  Status run(Talk &talk, tenon_transcription call, SoundFile &sound,
             const std::string &soundName,
             std::function<void(const tenon_segment &)> onSegment);

private:
  struct Destroy {
    void operator()(tenon_transcriber *transcriber) const {
      tenon_transcriber_destroy(transcriber);
    }
  };
  std::string shownAs;
  double deadline = 0;
  LoadedModel model;
  const tenon_function_desc *start = nullptr;
  std::unique_ptr<tenon_transcriber, Destroy> transcriber;
};

} // namespace tenon::cli

#endif // TENON_TOOLS_TENON_TRANSCRIBE_LOADEDTRANSCRIBER_H
