#include "app/cli/confined_verb.h"

#include <filesystem>
#include <utility>

#include "app/cli/cli_output.h"
#include "app/cli/tried_models.h"
#include "app/confine/confined_call.h"
#include "app/confine/readable_paths.h"
#include "app/inspect/facts_request.h"
#include "engine/io/text.h"

namespace quire {
namespace {

// What honest files and texts take is a tenth of this or less.
constexpr auto kWall = std::chrono::seconds(60);
constexpr size_t kAnswerBytes = size_t{64} << 20;
constexpr size_t kMemoryOfByte = 64;
constexpr size_t kAnswerOfByte = 64;
constexpr size_t kBytesOfSecond = size_t{256} << 10;

// How the process marks its answer.
constexpr char kIsOutput = 'o';
constexpr char kIsError = 'e';

ConfineLimits limits_for(const VerbInput& input) {
  ConfineLimits limits;
  limits.data_bytes += kMemoryOfByte * input.text_bytes;
  limits.answer_bytes = kAnswerBytes + kAnswerOfByte * input.text_bytes;
  limits.cpu += std::chrono::seconds(input.text_bytes / kBytesOfSecond);
  if (!input.model.empty()) limits.readable = readable_paths(input.model);
  return limits;
}

std::string packed(const Result<VerbOutput>& output) {
  const int number = output ? output->code : static_cast<int>(output.error().code);
  return (output ? kIsOutput : kIsError) + std::to_string(number) + '\n' +
         (output ? output->text : output.error().message);
}

Error crashed(const std::string& name) {
  return {ErrorCode::kCorruptFile, "Reading " + name +
                                       " ended in a crash, so it is not used. Get it again from a "
                                       "source that you trust."};
}

/// Of an answer that only a process that was taken over gives, the same as of a crash.
Result<VerbOutput> unpacked(std::string answer, const std::string& name) {
  const size_t line = answer.find('\n');
  const int number = std::atoi(answer.c_str() + (answer.empty() ? 0 : 1));
  if (line == answer.npos || number < 0 || number > static_cast<int>(ErrorCode::kInternal)) {
    return crashed(name);
  }
  const bool is_error = answer.front() != kIsOutput;
  answer.erase(0, line + 1);
  if (is_error) return Error{static_cast<ErrorCode>(number), std::move(answer)};
  return VerbOutput{std::move(answer), number};
}

/// The sentences of confined_call() speak of the window. A text that is too much for an honest
/// model is not its fault.
Error sentence_for(const Error& error, const std::string& name, bool has_text) {
  if (error.code == ErrorCode::kCorruptFile) return crashed(name);
  const bool is_time = error.code == ErrorCode::kUnsupported;
  if (!is_time && error.code != ErrorCode::kOutOfMemory) return error;
  const std::string why = is_time ? " takes too long" : " takes too much memory";
  if (has_text) {
    return {error.code, "Reading this text with " + name + why + "; give the text in parts."};
  }
  return {error.code, "Reading " + name + why + ", so it is not used."};
}

std::string name_of(const VerbInput& input) {
  const std::filesystem::path path(input.model);
  const std::string file = (path.has_filename() ? path.filename() : path).string();
  return for_message(input.name.empty() ? file : input.name);
}

}  // namespace

Result<VerbOutput> in_confinement(const VerbInput& input,
                                  const std::function<Result<VerbOutput>()>& work) {
  const std::string name = name_of(input);
  auto end = confined_call(
      limits_for(input), kWall, [&] { return packed(work()); }, name);
  if (!end) return sentence_for(end.error(), name, input.text_bytes > 0);
  return unpacked(std::move(end->answer), name);
}

Result<int> print_confined(const VerbInput& input,
                           const std::function<Result<VerbOutput>()>& work) {
  const Result<VerbOutput> output = in_confinement(input, work);
  if (!output) return output.error();
  write_out(output->text);
  return output->code;
}

Result<void> try_model(const std::string& model) {
  const TriedModels before(TriedModels::default_path());
  const std::string identity = TriedModels::identity(model);
  if (before.contains(identity)) return {};
  const auto tried = in_confinement({.model = model}, [&]() -> Result<VerbOutput> {
    (void)facts_of(model);
    return VerbOutput{};
  });
  if (!tried) return tried.error();
  before.add(identity);
  return {};
}

}  // namespace quire
