#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QList>
#include <QSet>

#include <QTimer>

#include <memory>

#include "app/chat/conversation.h"
#include "app/chat/footer_text.h"
#include "app/chat/thought_clock.h"
#include "app/richtext/block_display.h"
#include "app/richtext/message_blocks.h"
#include "app/role_list_model.h"

namespace quire {

/// The shown branch of a chat as rows: a row for a user's message, one for each block of an answer,
/// and one under each answer for what is said about it. Long answers are many rows, so the view
/// keeps only what is in sight. The end of a chat is there at once; what is above follows in slices
/// of a few milliseconds. Folded reasoning and the greater part of long code have no rows.
///
/// Thread: the window's.
/// Invariants: the rows of a message are neighbours, in the order of Conversation::path(); an
/// answer's last row is its footer; the messages that have rows are the last ones of the path.
class TimelineModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")

 public:
  enum class RowKind { User, Paragraph, Heading, Code, Table, Rule, Footer, Formula, Thought };
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
    kIsThought,    ///< Stands in the model's reasoning.
    kIsJoined,     ///< Goes on with the row before.
    kIsLastPart,   ///< Of code, a table or a user's message.
    kPart,         ///< Its place there, from 0.
    kCodeState,    ///< Of code: the lexer's state where it begins.
    kState,        ///< BlockDisplay of code and tables.
    kIsFolded,     ///< Reasoning, code or a message of which only the beginning is shown.
    kFoldText,     ///< What unfolds or folds it: "Show all 812 lines", or empty.
    kThoughtText,  ///< "Thought for 3.2 s".
  };

  /// `only`: the one message that is shown instead of the branch; 0: the branch.
  explicit TimelineModel(const Conversation& conversation, RecordId only = 0,
                         QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }

  /// The branch changed: rows that both branches begin with stay.
  void syncPath();
  /// The text of an answer grew by `text`.
  void appendText(RecordId messageId, QStringView text);
  /// Something else about a message changed (its status, counts or versions).
  void refreshMessage(RecordId messageId);
  /// The same for all messages.
  void refresh() { announceRows(); }
  /// An answer is at its end: its blocks are parsed as a whole.
  void finishMessage(RecordId messageId);
  void setPhase(RecordId messageId, Phase phase);
  /// What an answer's prompt was made of; known while the chat is open.
  void setPrompt(RecordId messageId, const PromptNote& note);
  const PromptNote* findPrompt(RecordId messageId) const;  ///< Null: not known.
  /// The message that this row belongs to; 0: none.
  Q_INVOKABLE double messageAt(int row) const;
  /// Folds or unfolds what this row's kFoldText or kThoughtText speaks of.
  Q_INVOKABLE void toggleFold(int row);
  /// The whole of the code, formula or table that this row is a part of; a table with tabs.
  Q_INVOKABLE QString sourceAt(int row) const;
  /// Copies the table this row is a line of: with tabs, and as HTML for programs that take it.
  Q_INVOKABLE void copySource(int row) const;
  Q_INVOKABLE void copyTable(int row) const;
  /// The blocks of an answer, parsed whole.
  QList<MarkdownBlock> blocksOf(RecordId messageId) const;
  bool isLoading() const { return m_firstLoaded > 0; }

  int firstRowOf(RecordId messageId) const;  ///< -1: not on the shown branch, or not read yet.

 private:
  struct Row {
    RowKind kind = RowKind::User;
    RecordId message = 0;
    bool isFirst = false;
    MarkdownBlock block;
    int blockIndex = 0;
  };
  /// What is known of a message that has, or will have, rows.
  struct Parsed {
    MessageBlocks blocks;
    qsizetype length = 0;    ///< Of the text that was parsed.
    bool isFoldable = true;  ///< Long code is folded, unless it was streamed while shown.
    bool isThoughtOpen = false;
    QSet<int> unfolded;  ///< Groups of long code.
    QHash<int, BlockDisplay*> states;
  };

  bool parseMore(const MessageRecord& message, qsizetype characters);
  Parsed& parsedOf(RecordId messageId);
  QList<Row> rowsOf(const MessageRecord& message);
  QList<Row> userRows(const MessageRecord& message);
  QList<Row> blockRows(const MessageRecord& message, int from);
  bool isFolded(const Parsed& parsed, qsizetype block) const;
  bool isFoldedRow(const Row& row) const;
  BlockDisplay* stateOf(const Row& row) const;
  int lastRowOf(RecordId messageId) const;
  /// The first row at or after that message's place in the branch.
  int rowAtPosition(qsizetype position) const;
  /// Replaces a message's rows from its block `from` on by what differs only.
  void syncBlocks(RecordId messageId, int from);
  void replaceRows(int first, int end, const QList<Row>& wanted);
  void changeRow(int row, const Row& wanted);
  void insertRowsAt(int first, const QList<Row>& rows);
  void dropRows(int from);
  void setShown(const QList<RecordId>& path);
  void loadOlder(qint64 budgetMs);
  void insertAbove(const QList<Row>& rows);
  QString foldText(const Row& row) const;
  QString thoughtText(const Row& row) const;
  QString textOf(const Row& row) const;
  Phase phaseOf(const MessageRecord& message) const;
  bool isStreamingRow(int row) const;
  QString phaseText(const MessageRecord& message) const;
  void declareRoles();
  void declareFooterRoles();

  const Conversation& m_conversation;
  const RecordId m_only;
  QList<Row> m_rows;
  QList<RecordId> m_shown;                 ///< The branch.
  QHash<RecordId, qsizetype> m_positions;  ///< In m_shown.
  qsizetype m_firstLoaded = 0;             ///< Of m_shown: those before it have no rows yet.
  QHash<RecordId, std::shared_ptr<Parsed>> m_parsed;
  ThoughtClock m_thoughts;
  QTimer m_loadTimer;
  QHash<RecordId, Phase> m_phases;  ///< Of running answers.
  QHash<RecordId, PromptNote> m_prompts;
};

}  // namespace quire
