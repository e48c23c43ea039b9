#pragma once

#include <tuple>

#include "app/store/records.h"

namespace quire {

/// The sort key of a row in the sidebar.
struct ChatPlace {
  enum class Zone { Pinned, Folders, Recent, ArchiveLine, Archived };

  Zone zone = Zone::Recent;
  int folderPosition = 0;
  RecordId folderId = 0;
  bool isChat = true;  ///< Else the line of its folder, or that of the archive.
  qint64 activeMs = 0;
  RecordId id = 0;  ///< The chat's; 0 for a line.

  static ChatPlace ofFolder(const FolderRecord& folder) {
    return {Zone::Folders, folder.position, folder.id, false, 0, 0};
  }
  static ChatPlace ofArchiveLine() { return {Zone::ArchiveLine, 0, 0, false, 0, 0}; }

  friend bool operator==(const ChatPlace&, const ChatPlace&) = default;
  /// The newest chat first; at the same time, the higher id.
  friend bool operator<(const ChatPlace& a, const ChatPlace& b) {
    const auto line = [](const ChatPlace& place) {
      return std::tuple(place.zone, place.folderPosition, place.folderId, place.isChat);
    };
    if (line(a) != line(b)) return line(a) < line(b);
    return std::tie(b.activeMs, b.id) < std::tie(a.activeMs, a.id);
  }
};

}  // namespace quire
