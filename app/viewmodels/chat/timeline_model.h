#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QHash>
#include <QList>

#include <memory>

#include "app/viewmodels/chat/conversation.h"
#include "app/viewmodels/chat/footer_text.h"
#include "app/viewmodels/text/message_blocks.h"

namespace quire {

/// The shown branch of a chat as rows: a row for a user's message, one for each block of an answer,
/// and one under each answer for what is said about it. Long answers are many rows, so the view
/// keeps only what is in sight.
///
/// Thread: the window's.
/// Invariants: the rows of a message are neighbours, in the order of Conversation::path(); an
/// answer's last row is its footer.
class TimelineModel : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")

 public:
  enum class RowKind { User, Paragraph, Heading, Code, Table, Rule, Footer };
  Q_ENUM(RowKind)
  /// What a footer says its answer is doing or how it ended.
  enum class Phase { Waiting, Reading, Writing, Complete, Stopped, Interrupted, Failed };
  Q_ENUM(Phase)

  enum Role {
    kKind = Qt::UserRole + 1,
    kMessageId,
    kMarkup,
    kText,
    kLanguage,
    kMarker,
    kLevel,
    kIndent,
    kQuoteDepth,
    kColumns,
    kCells,
    kIsFirst,      ///< Of its message.
    kIsStreaming,  ///< The last block of an answer that is being written.
    kPhase,
    kPhaseText,  ///< A sentence when the answer did not simply complete; else empty.
    kSpeedText,
    kCacheText,
    kCacheHint,    ///< Where the prompt's tokens came from, in sentences.
    kLeftOutText,  ///< That older messages were left out; else empty.
    kLeftOutHint,
    kVersion,
    kVersionCount,
  };

  explicit TimelineModel(const Conversation& conversation, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// The branch changed: rows that both branches begin with stay.
  void syncPath();
  /// The text of an answer grew by `text`.
  void appendText(RecordId messageId, QStringView text);
  /// Something else about a message changed (its status, counts or versions).
  void refreshMessage(RecordId messageId);
  /// An answer is at its end: its blocks are parsed as a whole.
  void finishMessage(RecordId messageId);
  void setPhase(RecordId messageId, Phase phase);
  /// What an answer's prompt was made of; known while the chat is open.
  void setPrompt(RecordId messageId, const PromptNote& note);
  const PromptNote* findPrompt(RecordId messageId) const;  ///< Null: not known.

 private:
  struct Row {
    RowKind kind = RowKind::User;
    RecordId message = 0;
    bool isFirst = false;
    MarkdownBlock block;
  };

  QList<Row> rowsOf(const MessageRecord& message);
  MessageBlocks& blocksOf(const MessageRecord& message);
  int firstRowOf(RecordId messageId) const;
  int footerRowOf(RecordId messageId) const;
  /// Replaces an answer's block rows from its block `from` on by what differs only.
  void syncBlocks(RecordId messageId, int from);
  Phase phaseOf(const MessageRecord& message) const;
  QString phaseText(const MessageRecord& message) const;
  QVariant footerData(const MessageRecord& message, int role) const;
  QVariant blockData(const Row& row, int role) const;

  const Conversation& m_conversation;
  QList<Row> m_rows;
  QList<RecordId> m_shown;  ///< The messages that have rows.
  QHash<RecordId, std::shared_ptr<MessageBlocks>> m_blocks;
  QHash<RecordId, Phase> m_phases;  ///< Of running answers.
  QHash<RecordId, PromptNote> m_prompts;
};

}  // namespace quire
