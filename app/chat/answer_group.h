#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>

#include "app/chat/answer_run.h"
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
  /// `run`: what writes the answer; null for one that is as it will be.
  AnswerColumn(const MessageRecord& answer, const QString& label, const AnswerRun* run,
               QObject* parent);

  RecordId messageId() const { return m_id; }
  QString label() const { return m_label; }
  TimelineModel* timeline() { return &m_timeline; }
  void setPrompt(const PromptNote& note) { m_timeline.setPrompt(m_id, note); }

 private:
  void follow(const AnswerRun& run);
  void take(const AnswerRun& run);
  void append(const AnswerRun& run, const QString& text);

  const RecordId m_id;
  const QString m_label;
  Conversation m_conversation;  ///< Of this answer alone.
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

  explicit AnswerGroup(RecordId questionId, QObject* parent = nullptr)
      : QAbstractListModel(parent), m_questionId(questionId) {}

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  int count() const { return static_cast<int>(m_columns.size()); }
  RecordId questionId() const { return m_questionId; }
  QList<RecordId> answers() const;
  /// Before the group is shown.
  void add(const MessageRecord& answer, const QString& label, const AnswerRun* run = nullptr);
  /// As it is kept in the store.
  QList<ComparedAnswer> toRecords() const;
  AnswerColumn* find(RecordId answer) const;

 private:
  const RecordId m_questionId;
  QList<AnswerColumn*> m_columns;
};

}  // namespace quire
