#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/engine_page/engine_labels.h"
#include "app/role_list_model.h"
#include "app/store/records.h"

namespace quire {

/// How a block is drawn: an index into Theme.blockColors.
enum class BlockLook : quint8 { Free, Kept, Stored, Shared, Nobody, FirstChat };
constexpr int kNumBlockLooks = static_cast<int>(BlockLook::FirstChat) + kNumChatColors;

/// The number of blocks of each kind.
struct BlockCounts {
  int free = 0;
  int kept = 0;    ///< Cached for later, not on disk.
  int stored = 0;  ///< Cached for later, and on disk.
  int shared = 0;
  int nobody = 0;            ///< In use, but by no chat.
  QHash<qint64, int> chats;  ///< In use by one answer, by chat id.
  int saved = 0;             ///< How many more blocks would be needed without sharing.
  int inHostMemory = 0;

  int used() const;
  int total() const { return free + kept + stored + used(); }
};

/// The legend of the block map, with counts.
/// Thread: the window's.
class BlockLegend : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by BlockMapModel.")

 public:
  static constexpr int kMaxChats = 5;  ///< Rows for chats; the chats with fewer blocks share a row.
  enum Role { kLook = Qt::UserRole + 1, kLabel, kCount };

  explicit BlockLegend(ChatLabels labels, QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }

  void setCounts(const BlockCounts& counts);

 private:
  struct Row {
    BlockLook look = BlockLook::Free;
    qint64 chatId = 0;  ///< For the row of one chat.
    int count = 0;
    int numChats = 0;  ///< For the row of the other chats.
    bool isSameAs(const Row& other) const { return look == other.look && chatId == other.chatId; }
  };
  QList<Row> rowsOf(const BlockCounts& counts) const;
  QString labelOf(const Row& row) const;

  const ChatLabels m_labels;
  QList<Row> m_rows;
};

/// The look of the blocks of a chat; Nobody if it has no label.
BlockLook lookOf(const ChatLabels& labels, qint64 chatId);

}  // namespace quire
