// The transcription library for the verb.
#include "tools/tenon/transcribe/LoadedTranscriber.h"

#include "tools/tenon/Interrupts.h"

#include <atomic>

namespace tenon::cli {

Status LoadedTranscriber::open(Talk &talk, const std::string &artifact,
                               const std::string &shownAs,
                               const LoadedModel::Options &options) {
  this->shownAs = shownAs;
  deadline = options.deadline;
  if (Status status = model.open(talk, artifact, shownAs, options);
      status != Status::Success)
    return status;
  char text[4096] = "";
  tenon_transcriber_options making = {};
  making.struct_size = sizeof making;
  making.error_text = text;
  making.error_text_bytes = sizeof text;
  making.memory_limit =
      options.memoryLimit ? options.memoryLimit : options.memory.left();
  tenon_transcriber *made = nullptr;
  tenon_status status =
      tenon_transcriber_create(model.getHandle(), &making, &made);
  if (status != TENON_OK)
    return talk.say(fromRuntime(shownAs, status, text));
  transcriber.reset(made);
  start = tenon_find_function(model.getHandle(), "start");
  return Status::Success;
}

tenon_speech_ids LoadedTranscriber::getIds() const {
  tenon_speech_ids ids = {};
  ids.struct_size = sizeof ids;
  tenon_transcriber_get_ids(transcriber.get(), &ids);
  return ids;
}

Status
LoadedTranscriber::run(Talk &talk, tenon_transcription call, SoundFile &sound,
                       const std::string &soundName,
                       std::function<void(const tenon_segment &)> onSegment) {
  call.struct_size = sizeof call;
  call.read = [](void *state, int64_t at, float *samples, int64_t count) {
    return static_cast<SoundFile *>(state)->read(at, samples, count);
  };
  call.read_state = &sound;
  call.on_segment = [](void *state, const tenon_segment *segment) {
    (*static_cast<std::function<void(const tenon_segment &)> *>(state))(
        *segment);
    return 0;
  };
  call.on_segment_state = &onSegment;
  call.timeout_ns = static_cast<int64_t>(deadline * 1e9);
  std::atomic<bool> isInterrupted = false;
  tenon_status status = TENON_OK;
  {
    OnInterrupt interrupt([&] {
      isInterrupted = true;
      tenon_transcriber_cancel(transcriber.get());
    });
    status = tenon_transcriber_run(transcriber.get(), &call);
  }
  if (status == TENON_OK)
    return Status::Success;
  if (isInterrupted && status == TENON_CANCELLED)
    return interruptStatus;
  if (!sound.whyNot().empty())
    return talk.fail(Status::InvalidModel, soundName, sound.whyNot());
  std::string text = tenon_transcriber_text(transcriber.get());
  bool isOfSound = llvm::StringRef(text).contains("sound");
  return talk.say(fromRuntime(isOfSound ? soundName : shownAs, status, text));
}

} // namespace tenon::cli
