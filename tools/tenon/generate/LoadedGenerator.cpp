// The generation library for the verbs.
#include "tools/tenon/generate/LoadedGenerator.h"

#include "tools/tenon/Interrupts.h"

#include <atomic>

namespace tenon::cli {

static int64_t sizeOf(const LoadedModel::Options &options, const char *extent) {
  auto chosen = options.contextExtents.find(extent);
  return chosen == options.contextExtents.end() ? 0 : chosen->second;
}

Status LoadedGenerator::open(Talk &talk, const std::string &artifact,
                             const std::string &shownAs,
                             const LoadedModel::Options &options) {
  this->shownAs = shownAs;
  deadline = options.deadline;
  if (Status status = model.open(talk, artifact, shownAs, options);
      status != Status::Success)
    return status;
  char text[4096] = "";
  tenon_generator_options making = {};
  making.struct_size = sizeof making;
  making.error_text = text;
  making.error_text_bytes = sizeof text;
  making.memory_limit =
      options.memoryLimit ? options.memoryLimit : options.memory.left();
  making.rows = sizeOf(options, "rows");
  making.positions = sizeOf(options, "positions");
  tenon_generator *made = nullptr;
  tenon_status status =
      tenon_generator_create(model.getHandle(), &making, &made);
  if (status != TENON_OK)
    return talk.say(fromRuntime(shownAs, status, text));
  generator.reset(made);
  start = tenon_find_function(model.getHandle(), "start");
  return Status::Success;
}

static tenon_token_answer answer(void *state, size_t sequence, int64_t id) {
  return (*static_cast<LoadedGenerator::OnToken *>(state))(sequence, id);
}

Status LoadedGenerator::run(Talk &talk,
                            const std::vector<std::vector<int64_t>> &prompts,
                            OnToken onToken) {
  std::vector<tenon_prompt> given;
  for (const std::vector<int64_t> &prompt : prompts)
    given.push_back({prompt.data(), prompt.size()});
  tenon_generation call = {};
  call.struct_size = sizeof call;
  call.prompts = given.data();
  call.num_prompts = given.size();
  call.on_token = answer;
  call.on_token_state = &onToken;
  call.timeout_ns = static_cast<int64_t>(deadline * 1e9);
  std::atomic<bool> isInterrupted = false;
  tenon_status status = TENON_OK;
  {
    OnInterrupt interrupt([&] {
      isInterrupted = true;
      tenon_generator_cancel(generator.get());
    });
    status = tenon_generator_run(generator.get(), &call);
  }
  if (status == TENON_OK)
    return Status::Success;
  if (isInterrupted && status == TENON_CANCELLED)
    return interruptStatus;
  return talk.say(
      fromRuntime(shownAs, status, tenon_generator_text(generator.get())));
}

std::vector<tenon_sequence> LoadedGenerator::getSequences() const {
  std::vector<tenon_sequence> sequences(
      tenon_generator_num_sequences(generator.get()));
  for (size_t i = 0; i < sequences.size(); ++i)
    tenon_generator_get_sequence(generator.get(), i, &sequences[i]);
  return sequences;
}

} // namespace tenon::cli
