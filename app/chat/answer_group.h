#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>

#include "app/chat/conversation.h"
#include "app/chat/timeline_model.h"

namespace quire {

/// One of several answers to a message, as a column of its own.
/// Thread: the window's.
class AnswerColumn : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(double messageId READ messageId CONSTANT)
  Q_PROPERTY(QString label READ label CONSTANT)
  Q_PROPERTY(quire::TimelineModel* timeline READ timeline CONSTANT)

 public:
  AnswerColumn(const Conversation& conversation, RecordId answer, const QString& label,
               QObject* parent)
      : QObject(parent), m_id(answer), m_label(label), m_timeline(conversation, answer) {}

  RecordId messageId() const { return m_id; }
  QString label() const { return m_label; }
  TimelineModel* timeline() { return &m_timeline; }

 private:
  const RecordId m_id;
  const QString m_label;
  TimelineModel m_timeline;
};

/// Several answers to one message, side by side until the user says which to keep.
///
/// Thread: the window's.
/// Invariants: there are at least two columns; they never change.
class AnswerGroup : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(int count READ count CONSTANT)

 public:
  enum Role { kColumn = Qt::UserRole + 1 };

  explicit AnswerGroup(const Conversation& conversation, QObject* parent = nullptr)
      : QAbstractListModel(parent), m_conversation(conversation) {}

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  int count() const { return static_cast<int>(m_columns.size()); }
  QList<RecordId> answers() const;
  /// Before the group is shown.
  void add(RecordId answer, const QString& label);
  /// As it is kept in the store.
  QList<ComparedAnswer> toRecords() const;
  AnswerColumn* find(RecordId answer) const;

 private:
  const Conversation& m_conversation;
  QList<AnswerColumn*> m_columns;
};

}  // namespace quire
