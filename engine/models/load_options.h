#pragma once

#include <atomic>
#include <functional>

namespace quire {

struct LoadOptions {
  std::function<void(float fraction)> progress;  ///< Called on the loading thread, 0 to 1.
  /// Checked between tensors and between experts: kCancelled.
  const std::atomic<bool>* cancelled = nullptr;
  /// The longest context that will be served, in tokens; 0 is the model's own, of LongRoPE the
  /// original one. Some models rotate positions differently for a longer one: see serve_context()
  /// in rope.h.
  int max_context = 0;
  /// Whether the backend is one that keeps nothing: tensors are checked, but not laid out anew.
  bool check_only = false;
};

}  // namespace quire
