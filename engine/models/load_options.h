#pragma once

#include <atomic>
#include <functional>

namespace quire {

struct LoadOptions {
  std::function<void(float fraction)> progress;  ///< Called on the loading thread, 0 to 1.
  const std::atomic<bool>* cancelled = nullptr;  ///< Checked between tensors: kCancelled.
};

}  // namespace quire
