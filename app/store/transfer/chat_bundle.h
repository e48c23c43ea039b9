#pragma once

#include "app/store/database.h"
#include "app/store/origin_table.h"
#include "app/store/records.h"

namespace quire {

/// Of a text of a file that is imported, in UTF-16 units. The longest texts that Quire itself makes
/// are those of attached files of 8 MiB; a byte becomes one unit at most.
inline constexpr qsizetype kMaxImportedText = qsizetype{8} << 20;

struct BundledMessage {
  MessageRecord message;
  std::optional<origin_table::StoredOrigin> origin;
};

/// A chat with everything that belongs to it, for a file or another store.
struct ChatBundle {
  ChatRecord chat;
  QList<BundledMessage> messages;  ///< A parent stands before its children.
  QList<AttachmentRecord> draftFiles;
  QList<ComparedAnswer> compared;
};

Result<ChatBundle> readBundle(const Database& database, const ChatRecord& chat);

/// The messages of a damaged chat that can be read together with all messages above them; without
/// their origins.
ChatBundle readRemains(const Database& database, const ChatRecord& chat);

}  // namespace quire
