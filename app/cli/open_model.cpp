#include "app/cli/open_model.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/cli_output.h"
#include "app/cli/confined_verb.h"
#include "app/store/prefix/prefix_database.h"
#include "app/store/prefix/prefix_file.h"
#include "engine/chat/chat_format.h"
#include "engine/draft_model.h"
#include "engine/model_loader.h"
#include "engine/models/adapter_files.h"
#include "engine/models/medusa_heads.h"
#include "engine/models/model_files.h"
#include "engine/tuning_file.h"
#include "kernels/base/instruction_set.h"
#include "platform/terminal.h"

namespace quire {
namespace {

/// Shows the progress of a load on one line of the terminal, once the load takes long.
class LoadProgress {
 public:
  void show(float fraction) {
    const auto elapsed = std::chrono::steady_clock::now() - m_begin;
    if (!m_shown && elapsed < std::chrono::milliseconds(700)) return;
    const int percent = static_cast<int>(fraction * 100.0f);
    if (percent == m_percent) return;
    m_shown = true;
    m_percent = percent;
    std::fprintf(stderr, "\rloading model: %d%%", percent);
  }
  ~LoadProgress() {
    if (m_shown) std::fprintf(stderr, "\r\033[K");
  }

 private:
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
  bool m_shown = false;
  int m_percent = -1;
};

/// Notes, without an error, that the device ignores --fast-batches.
Result<Llm> with_note(Result<Llm> llm) {
  if (!llm) return llm;
  const std::string why_not = llm->backend().info().reason;
  if (!why_not.empty()) complain("--fast-batches: " + why_not);
  return llm;
}

/// What each answer will suffer from, said once.
void warn_of_old_processor(const Backend& backend) {
  const bool is_old = supported_instruction_sets().back() == InstructionSet::kScalar;
  if (!is_old || backend.info().name != "cpu") return;
  complain(
      "This processor has no AVX2, which Quire's fast code needs, so answers come many times "
      "slower than on processors from 2013 or later.");
}

/// A draft model that is loaded and never asked is said, because it only takes memory.
void note_unasked_draft(Llm& llm, const CommonOptions& options) {
  if (options.speculation != "auto" || !llm.backend().info().has_own_memory) return;
  complain(
      "--draft: a GPU that computes all layers computes the next token in advance and does not ask "
      "the draft model; leave --draft out, or use --speculation always.");
}

Result<Llm> with_draft(Result<Llm> llm, const CommonOptions& options) {
  if (!llm || options.draft.empty()) return llm;
  if (MedusaHeads::is_folder_of_heads(options.draft)) return llm;  // Loaded with the model.
  auto draft = DraftModel::open(options.draft, options.llm_options().backend, llm->engine());
  if (!draft) return draft.error();
  llm->engine().set_drafter(std::move(*draft));
  note_unasked_draft(*llm, options);
  return llm;
}

}  // namespace

Result<std::shared_ptr<PrefixStore>> open_prefix_cache(const std::string& path) {
  if (path.empty()) return std::shared_ptr<PrefixStore>();
  if (const auto checked = checkPrefixFile(path); !checked) {
    return Error{checked.error().code,
                 "--prefix-cache: " + checked.error().message +
                     ". It was not changed; choose another file, or one that does not exist yet."};
  }
  auto database = std::make_shared<PrefixDatabase>(PrefixDatabaseOptions{.path = path});
  // A model that loads faster than the index is read would find nothing in it.
  database->flush(std::chrono::seconds(5));
  return std::shared_ptr<PrefixStore>(std::move(database));
}

Result<void> check_context(const CommonOptions& options) {
  if (options.context == 0) return {};
  const auto files = open_model_files(options.model_path(), options.context);
  if (!files) return files.error();
  const int most = files->config.max_positions;
  if (options.context <= most) return {};
  return Error{ErrorCode::kInvalidArgument,
               "--context " + std::to_string(options.context) + " is more than this model reads, " +
                   std::to_string(most) + " tokens; leave it out, or ask for less."};
}

Result<Llm> open_llm(const CommonOptions& options, int max_sequences) {
  if (const auto tried = try_model(options.model_path()); !tried) return tried.error();
  if (!options.adapter.empty()) {
    // Before the devices are opened, as the trial asks for.
    const auto tried = try_model(whole_adapter(options.adapter).string());
    if (!tried) return tried.error();
  }
  if (auto fits = check_context(options); !fits) return fits.error();
  LlmOptions llm = options.llm_options();
  if (!options.draft.empty()) {
    if (const auto tried = try_model(options.draft); !tried) return tried.error();
    llm.engine.draft_layers = false;
    if (MedusaHeads::is_folder_of_heads(options.draft)) llm.engine.medusa_heads = options.draft;
  }
  // After the trials, so that the processes which they fork neither measure nor write the file.
  keep_cpu_tunings(default_tuning_path());
  llm.engine.max_sequences = std::max(max_sequences, 1);
  llm.engine.max_batch_tokens = std::max(llm.engine.max_batch_tokens, llm.engine.max_sequences);
  auto prefix_cache = open_prefix_cache(options.prefix_cache);
  if (!prefix_cache) return prefix_cache.error();
  llm.engine.prefix_store = std::move(prefix_cache).value();
  LoadProgress progress;
  if (platform::is_terminal(platform::Stream::kError)) {
    llm.load.progress = [&progress](float fraction) { progress.show(fraction); };
  }
  Result<Llm> opened = Llm::open(llm);
  if (opened) warn_of_old_processor(opened->backend());
  return with_draft(options.fast_batches ? with_note(std::move(opened)) : std::move(opened),
                    options);
}

Result<AdapterId> chosen_adapter(Llm& llm, const CommonOptions& options) {
  if (options.adapter.empty()) return AdapterId{0};
  return llm.engine().add_adapter(options.adapter);
}

Result<ChatTemplate> open_chat_template(const CommonOptions& options,
                                        nlohmann::ordered_json& variables) {
  const Result<std::string> source = read_template_source(options.model_path());
  if (!source) return source.error();
  if (source->empty()) {
    return Error{ErrorCode::kUnsupported,
                 options.model_path() + " has no chat template; pass one with --template."};
  }
  const Result<std::unique_ptr<Tokenizer>> tokenizer = load_model_tokenizer(options.model_path());
  if (!tokenizer) return tokenizer.error();
  const auto add = [&](const char* name, std::optional<TokenId> id) {
    if (id && !variables.contains(name)) variables[name] = (*tokenizer)->token_piece(*id);
  };
  add("bos_token", (*tokenizer)->bos_token());
  add("eos_token", (*tokenizer)->eos_token());
  return ChatTemplate::compile(*source);
}

}  // namespace quire
