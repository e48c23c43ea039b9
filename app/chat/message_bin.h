#pragma once

#include <QObject>
#include <QTimer>

#include "app/store/records.h"

namespace quire {

/// Messages of a chat that were deleted and can be taken back for a few seconds.
///
/// Thread: the window's.
/// Invariants: what was put in leaves once: by takeBack(), or by `emptied`.
class MessageBin : public QObject {
  Q_OBJECT

 public:
  explicit MessageBin(QObject* parent = nullptr);

  /// A parent stands before its children. What lay here before is emptied. `head`: what was shown
  /// before. `kept`: they were the other answers beside one that the user kept.
  void put(const QList<MessageRecord>& messages, RecordId head, bool kept = false);
  bool isEmpty() const { return m_messages.isEmpty(); }
  bool contains(RecordId id) const;
  QString text() const;  ///< What was deleted, in a sentence; empty if nothing.
  /// An answer that was still being written has come further.
  void update(const MessageRecord& message);
  RecordId head() const { return m_head; }
  QList<MessageRecord> takeBack();
  void empty();

 signals:
  void changed();
  /// These are gone for good.
  void emptied(const QList<RecordId>& ids);

 private:
  QList<MessageRecord> m_messages;
  RecordId m_head = 0;
  bool m_isKept = false;
  QTimer m_timer;
};

}  // namespace quire
