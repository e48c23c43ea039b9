#pragma once

#include "app/store/database.h"
#include "app/store/origin_table.h"
#include "app/store/records.h"

namespace quire {

struct BundledMessage {
  MessageRecord message;
  std::optional<origin_table::StoredOrigin> origin;
};

/// A chat with everything that belongs to it, on its way from one store to a file or another store.
struct ChatBundle {
  ChatRecord chat;
  QList<BundledMessage> messages;  ///< A parent stands before its children.
  QList<AttachmentRecord> draftFiles;
  QList<ComparedAnswer> compared;
};

Result<ChatBundle> readBundle(const Database& database, const ChatRecord& chat);

/// Of a damaged chat the messages that can be read, as far as what they answer can be read too;
/// without their origins.
ChatBundle readRemains(const Database& database, const ChatRecord& chat);

}  // namespace quire
