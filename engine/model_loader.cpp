#include "engine/model_loader.h"

#include <functional>
#include <utility>

#include "engine/draft_loading.h"
#include "engine/io/read_file.h"
#include "engine/io/text.h"
#include "engine/memory/place_layers.h"
#include "engine/models/model_config.h"
#include "engine/models/model_files.h"
#include "engine/tokenizer/vocabulary_limits.h"

namespace quire {
namespace {

namespace fs = std::filesystem;

Result<std::string> fingerprint(const fs::path& path, const ModelFiles& files) {
  Sha256 hash;
  hash.update_field("quire model 2");
  hash_config(files.config, hash);
  files.weights->hash_into(hash);
  if (auto whole = files.weights->check_whole(); !whole) return whole.error();
  // A GGUF file's vocabulary is in its metadata, which hash_into() has hashed.
  if (files.format == FileFormat::kGguf) return to_hex(hash.finish());
  for (const char* name : {"tokenizer.model", "tokenizer.json", "tokenizer_config.json"}) {
    std::error_code ignored;
    if (!fs::exists(path / name, ignored)) continue;
    auto file = read_file(path / name, kMaxTokenizerBytes);
    if (!file) return file.error();
    hash.update_field(name);
    hash.update_u64(file->size());
    hash.update(*file);
  }
  return to_hex(hash.finish());
}

/// place: chooses the devices of the opened files' layers. engine: the options of the engine that
/// loads the model, which decide whether draft layers and Medusa heads are loaded; null: no heads
/// are, and `options` decides about draft layers.
Result<LoadedModel> load_placed(
    const fs::path& path, const LoadOptions& options, const EngineOptions* engine,
    const std::function<Result<LayerPlacement>(const ModelFiles& files)>& place) {
  if (options.stepped) options.stepped(LoadStep::kHead, 0, 0);
  auto files = open_model_files(path, options.max_context);
  if (!files) return files.error();
  LoadedModel model;
  model.config = files->config;
  const GgufFile* const gguf = gguf_metadata(*files);
  auto format = load_chat_format(path, gguf);
  if (!format) return format.error();
  const auto fits = check_vocabulary(*format->tokenizer, model.config);
  if (!fits) return fits.error();
  model.config.end_tokens =
      find_end_tokens(model.config, *format->tokenizer, gguf, format->template_source);
  model.chat = std::make_shared<const ChatFormat>(std::move(*format));
  auto print = fingerprint(path, *files);
  if (!print) return print.error();
  model.fingerprint = std::move(*print);
  if (options.cancelled != nullptr && options.cancelled->load(std::memory_order_relaxed)) {
    return Error{ErrorCode::kCancelled, "loading the model was cancelled"};
  }
  const auto placement = place(*files);
  if (!placement) return placement.error();
  if (engine) {
    if (auto usable = check_medusa_heads(*engine, *placement); !usable) return usable.error();
  }
  auto decoder =
      make_decoder(*files, *placement,
                   engine ? with_draft_layers(options, *files, *engine, *placement) : options);
  if (!decoder) return decoder.error();
  if (engine) {
    if (auto added = add_medusa_heads(**decoder, *engine, options); !added) return added.error();
  }
  model.decoder = std::move(*decoder);
  return model;
}

}  // namespace

Result<LoadedModel> load_model(const fs::path& path, Backend& backend, const LoadOptions& options) {
  const auto place = [&](const ModelFiles& files) -> Result<LayerPlacement> {
    return place_all(backend, files.config.num_layers);
  };
  return load_placed(path, options, nullptr, place);
}

Result<LoadedModel> load_model(const fs::path& path, ModelDevices& devices,
                               const EngineOptions& engine, const LoadOptions& options) {
  while (true) {
    auto model = load_placed(path, options, &engine, [&](const ModelFiles& files) {
      return place_layers(files, engine, devices);
    });
    if (model) return model;
    const ErrorCode code = model.error().code;
    const bool is_of_devices = code == ErrorCode::kDevice || code == ErrorCode::kOutOfMemory;
    if (is_of_devices && devices.separate_for_good()) continue;
    if (code != ErrorCode::kDevice) return model;
    if (!devices.leave_out_first(model.error())) return model;
  }
}

Result<void> check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config) {
  for (TokenId id = config.vocab_size; id < tokenizer.vocab_size(); ++id) {
    // Special tokens that the model does not have are common; one at the start of each prompt is
    // not.
    const bool is_needed = tokenizer.adds_bos() && id == tokenizer.bos_token();
    const bool is_special = tokenizer.is_special(id) || tokenizer.token_piece(id).empty();
    if (is_special && !is_needed) continue;
    return Error{ErrorCode::kCorruptFile,
                 for_message(config.name) + ": the tokenizer has the token \"" +
                     for_message(tokenizer.token_piece(id)) + "\" as number " +
                     with_separators(static_cast<uint64_t>(id)) +
                     ", but the model's embedding ends after " +
                     with_separators(static_cast<uint64_t>(config.vocab_size)) +
                     " tokens; they belong to different models"};
  }
  return {};
}

Result<std::unique_ptr<Tokenizer>> load_model_tokenizer(const fs::path& path) {
  auto gguf = open_gguf_metadata(path);
  if (!gguf) return gguf.error();
  return load_tokenizer_of(path, *gguf ? &**gguf : nullptr);
}

}  // namespace quire
