#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/chat/chat_format.h"
#include "engine/engine_options.h"
#include "engine/memory/model_devices.h"
#include "engine/models/decoder.h"
#include "engine/models/load_options.h"

namespace quire {

/// A model ready to serve: everything that was read from its files.
struct LoadedModel {
  ModelConfig config;
  /// A hash, hexadecimal, of the config, the vocabulary, and each tensor's name, type, shape, first
  /// and last bytes (hashing all bytes would take as long as loading): files that differ only
  /// within tensors have the same fingerprint.
  std::string fingerprint;
  /// Shared with the code that prepares prompts on other threads.
  std::shared_ptr<const ChatFormat> chat;
  std::unique_ptr<Decoder> decoder;
};

/// Loads a model onto the backend: a folder (config.json, *.safetensors, tokenizer.json or
/// tokenizer.model, tokenizer_config.json), a GGUF file (any part of a split set) or a folder with
/// one. Errors name the file, the tensor or the number at fault and what to do.
Result<LoadedModel> load_model(const std::filesystem::path& path, Backend& backend,
                               const LoadOptions& options = {});

/// The same with its layers spread over the devices as their memory and the engine's options allow
/// (place_layers.h). Errors also: kOutOfMemory.
Result<LoadedModel> load_model(const std::filesystem::path& path, ModelDevices& devices,
                               const EngineOptions& engine, const LoadOptions& options = {});

/// The tokenizer of such a model alone.
Result<std::unique_ptr<Tokenizer>> load_model_tokenizer(const std::filesystem::path& path);

/// Whether the model has an embedding for every token that text can become. Special tokens beyond
/// it are common in published files (Gemma 3's image token, padding added by a fine-tune): nothing
/// but a template writes them, and a prompt that holds one is refused. Errors: kCorruptFile.
Result<void> check_vocabulary(const Tokenizer& tokenizer, const ModelConfig& config);

}  // namespace quire
