#pragma once

#include <QtQml/qqmlregistration.h>
#include <QList>

#include "app/chat/timeline_model.h"
#include "app/role_list_model.h"

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
  AnswerColumn(const Conversation& conversation, const ComparedAnswer& answer, QObject* parent)
      : QObject(parent), m_answer(answer), m_timeline(conversation, answer.messageId) {}

  RecordId messageId() const { return m_answer.messageId; }
  QString label() const { return m_answer.label; }
  TimelineModel* timeline() { return &m_timeline; }

 private:
  const ComparedAnswer m_answer;
  TimelineModel m_timeline;
};

/// Several answers to one message, side by side until the user chooses which to keep.
///
/// Thread: the window's.
/// Invariants: there are at least two columns; they never change.
class AnswerGroup : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")

 public:
  enum Role { kColumn = Qt::UserRole + 1 };

  AnswerGroup(const Conversation& conversation, const QList<ComparedAnswer>& answers,
              QObject* parent)
      : RoleListModel(parent) {
    for (const ComparedAnswer& one : answers) {
      m_columns.append(new AnswerColumn(conversation, one, this));
      m_answers.append(one.messageId);
    }
    setRoles(
        {{kColumn, "column", [this](int row) { return QVariant::fromValue(m_columns[row]); }}});
  }

  int numRows() const override { return static_cast<int>(m_columns.size()); }

  const QList<RecordId>& answers() const { return m_answers; }
  void setRemote(const RemoteModels* remote) {
    for (AnswerColumn* column : std::as_const(m_columns)) column->timeline()->setRemote(remote);
  }
  /// The column of an answer; null if it is not in the group.
  AnswerColumn* find(RecordId answer) const { return m_columns.value(m_answers.indexOf(answer)); }

 private:
  QList<AnswerColumn*> m_columns;
  QList<RecordId> m_answers;  ///< Of m_columns, in their order.
};

}  // namespace quire
