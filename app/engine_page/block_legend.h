#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/engine_page/engine_labels.h"
#include "app/role_list_model.h"
#include "app/store/records.h"

namespace quire {

/// How a block is drawn; the numbers are places in Theme.blockColors.
enum class BlockLook : quint8 { Free, Kept, Stored, Shared, Nobody, FirstChat };
constexpr int kNumBlockLooks = static_cast<int>(BlockLook::FirstChat) + kNumChatColors;

/// The blocks of one kind, counted.
struct BlockCounts {
  int free = 0;
  int kept = 0;    ///< In this memory alone.
  int stored = 0;  ///< Kept, and on disk too.
  int shared = 0;
  int nobody = 0;            ///< In use for no chat.
  QHash<qint64, int> chats;  ///< In use for one answer.
  int saved = 0;             ///< That would be needed if nothing were shared.
  int inHostMemory = 0;

  int used() const;
  int total() const { return free + kept + stored + used(); }
};

/// Which colour of the block map means what, with counts.
/// Thread: the window's.
class BlockLegend : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by BlockMapModel.")

 public:
  static constexpr int kMaxChats = 5;  ///< Those with the most blocks; the others are one row.
  enum Role { kLook = Qt::UserRole + 1, kLabel, kCount };

  explicit BlockLegend(ChatLabels labels, QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }

  void setCounts(const BlockCounts& counts);

 private:
  struct Row {
    BlockLook look = BlockLook::Free;
    qint64 chatId = 0;  ///< Of a row of one chat.
    int count = 0;
    int numChats = 0;  ///< Of the row of the other chats.
    bool isSameAs(const Row& other) const { return look == other.look && chatId == other.chatId; }
  };
  QList<Row> rowsOf(const BlockCounts& counts) const;
  QString labelOf(const Row& row) const;

  const ChatLabels m_labels;
  QList<Row> m_rows;
};

/// The look of a chat's blocks.
BlockLook lookOf(const ChatLabels& labels, qint64 chatId);

}  // namespace quire
