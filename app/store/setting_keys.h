#pragma once

#include <QLatin1String>
#include <QString>

#include <algorithm>
#include <array>

namespace quire::setting_keys {

// The settings that a merge must leave out: another store or file must not bring them along. Every
// other setting may be merged, and its key is in the file that uses it.

// Ids of records (isOfOneStore).
/// Chats that are being deleted from the backups too, by their ids in the store that noted them.
inline constexpr QLatin1String kErasing("backups.erasing");
/// How far the store is merged that a rescue put aside (transfer_import.cpp).
inline constexpr QLatin1String kMergeOfKept("rescue.merged");
inline constexpr QLatin1String kLastChat("window.lastChat");  ///< By its id.
inline constexpr QLatin1String kPanes("window.panes");        ///< Chats by their ids.

// Paths that are searched or loaded without a question. These and all below: namesPlacesToUse.
inline constexpr QLatin1String kLastModel("models.last");
inline constexpr QLatin1String kModelFolders("models.folders");
inline constexpr QLatin1String kOpenedModels("models.opened");
inline constexpr QLatin1String kQuantizing("models.quantizing");  ///< Offered to be resumed.

/// The machines that chats are sent to (RemoteEndpoint).
inline constexpr QLatin1String kRemoteEndpoints("remote.endpoints");

// Where models are downloaded from and to.
inline constexpr QLatin1String kHubMirror("hub.mirror");
inline constexpr QLatin1String kDownloadFolder("downloads.folder");

// From where the API's server can be reached, and how much of the disk the cache of prompts takes.
inline constexpr QLatin1String kServerReach("server.reach");
inline constexpr QLatin1String kServerPort("server.port");
inline constexpr QLatin1String kChatCacheMiB("prefix.chatMiB");
inline constexpr QLatin1String kPersonaCacheMiB("prefix.personaMiB");

/// Whether the value means something only in the store that it was written to, because it names
/// records by their ids. Elsewhere these are the ids of other records.
inline bool isOfOneStore(const QString& key) {
  const std::array keys = {kErasing, kMergeOfKept, kLastChat, kPanes};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Whether the value names files or folders that Quire reads, machines that it sends chats to or
/// that reach it, or the disk's share that it takes, without being asked: a stranger's file must
/// not choose them.
inline bool namesPlacesToUse(const QString& key) {
  const std::array keys = {kLastModel,       kModelFolders, kOpenedModels,   kQuantizing,
                           kRemoteEndpoints, kHubMirror,    kDownloadFolder, kServerReach,
                           kServerPort,      kChatCacheMiB, kPersonaCacheMiB};
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace quire::setting_keys
