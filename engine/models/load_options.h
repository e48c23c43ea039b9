#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace quire {

/// The steps of loading a model, in order.
enum class LoadStep {
  kHead,       ///< Reads the metadata, the tokenizer and the template.
  kWeights,    ///< Reads the weights and repacks each for its device.
  kPreparing,  ///< Waits for the uploads, and builds the decoder.
};

struct LoadOptions {
  std::function<void(float fraction)> progress;  ///< Called on the loading thread, 0 to 1.
  /// The same in detail: bytes of the weights in their files, 0 of 0 before they are known.
  std::function<void(LoadStep step, uint64_t done_bytes, uint64_t total_bytes)> stepped;
  /// Checked between tensors and between experts: kCancelled.
  const std::atomic<bool>* cancelled = nullptr;
  /// The longest context that will be served, in tokens; 0 is the model's own, of LongRoPE the
  /// original one. Some models rotate positions differently for a longer one: see serve_context()
  /// in rope.h.
  int max_context = 0;
  /// Whether layers for speculation that follow the decoder's own are loaded, too. An engine sets
  /// it by its own options (engine/draft_loading.h).
  bool speculative_layers = false;
  /// Whether tensors are only checked and not repacked, for NullBackend.
  bool check_only = false;
};

}  // namespace quire
