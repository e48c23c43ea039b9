#pragma once

namespace quire {

/// Where a model of a size fits on this machine.
enum class MachineFit { kUnknown, kGpu, kMemory, kMemoryAndGpu, kTooLarge };

/// What a download does. The states from kFailed on are ends.
enum class DownloadState {
  kWaiting,   ///< In the queue: only so many downloads run at once.
  kChecking,  ///< What is on the disk already is read.
  kRunning,
  kRetrying,  ///< Waits before the next try; its error says why.
  kPaused,
  kFailed,
  kCancelled,
  kDone,
};

constexpr bool hasEnded(DownloadState state) {
  return state >= DownloadState::kFailed;
}

/// Neither ended nor paused.
constexpr bool isWorking(DownloadState state) {
  return state < DownloadState::kPaused;
}

}  // namespace quire
