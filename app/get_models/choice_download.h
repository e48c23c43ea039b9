#pragma once

#include <QList>

#include <algorithm>

#include "app/get_models/hub_access.h"

namespace quire {

/// What can be downloaded, with its download if there is one.
struct ChoiceDownload {
  const HubChoice& choice;
  const HubDownload* download = nullptr;  ///< The one with the choice's target.

  ChoiceDownload(const HubChoice& which, const QList<HubDownload>& downloads) : choice(which) {
    const auto found = std::ranges::find(downloads, which.target, &HubDownload::target);
    if (found != downloads.end() && !which.target.isEmpty()) download = &*found;
  }

  bool isIn(DownloadState state) const { return download != nullptr && download->state == state; }
  bool isThere() const { return choice.isThere || isIn(DownloadState::kDone); }
  bool hasFailed() const { return isIn(DownloadState::kFailed); }
  bool isOpen() const { return download != nullptr && !hasEnded(download->state); }
  bool isWorking() const { return download != nullptr && quire::isWorking(download->state); }
  bool canGet() const { return !choice.target.isEmpty() && !isThere() && !isOpen(); }
  /// Of the model, if it is there; else empty.
  QString path() const {
    if (isIn(DownloadState::kDone)) return download->path;
    if (!choice.isThere) return {};
    return choice.path.isEmpty() ? choice.target : choice.path;
  }
  /// Why it cannot be downloaded, or why its download does not go on.
  QString problem() const { return download != nullptr ? download->problem.text : choice.problem; }
};

/// Whether rows of choices look the same with these downloads as with those.
inline bool saysTheSame(const QList<HubDownload>& a, const QList<HubDownload>& b) {
  return std::ranges::equal(a, b, [](const HubDownload& one, const HubDownload& other) {
    return one.id == other.id && one.target == other.target && one.state == other.state &&
           one.bytes == other.bytes && one.bytesPerSecond == other.bytesPerSecond &&
           one.problem.text == other.problem.text;
  });
}

}  // namespace quire
