#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QList>
#include <QSet>

#include <QTimer>

#include <memory>
#include <optional>
#include <utility>

#include "app/chat/conversation.h"
#include "app/chat/footer_text.h"
#include "app/chat/thought_clock.h"
#include "app/models/remote_models.h"
#include "app/richtext/block_display.h"
#include "app/richtext/message_blocks.h"
#include "app/richtext/text_direction.h"
#include "app/role_list_model.h"

namespace quire {

/// The shown branch of a chat as rows: one for a user's message (several for a long, unfolded one),
/// one for each block of an answer, and a footer for each answer. Since a long answer has many
/// rows, the view creates items for the visible part only. The end of a chat is loaded at once; the
/// rest follows in slices of a few milliseconds. Folded reasoning and the end of folded code have
/// no rows.
///
/// Thread: the window's.
/// Invariants: the rows of a message are adjacent, in the order of Conversation::path(); an
/// answer's last row is its footer; the messages that have rows are the last ones of the path.
class TimelineModel : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")

 public:
  enum class RowKind {
    User,
    Paragraph,
    Heading,
    Code,
    Table,
    Rule,
    Footer,
    Formula,
    Thought,
    Editor
  };
  Q_ENUM(RowKind)
  /// What an answer is doing, or how it ended.
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
    kIsFirst,      ///< Whether it is the first row of its message.
    kIsStreaming,  ///< Whether it is the last block of a running answer.
    kPhase,
    kIsRunning,  ///< Whether the answer is still being written.
    kHasFailed,
    kWarns,      ///< Whether it failed or was cut off.
    kPhaseText,  ///< A sentence when the answer did not simply complete; else empty.
    kSpeedText,
    kSpeedHint,  ///< How many guesses of next tokens were right.
    kCacheText,
    kCacheHint,    ///< Where the prompt's tokens came from, in sentences.
    kLeftOutText,  ///< That older messages were left out; else empty.
    kLeftOutHint,
    kVersion,
    kVersionCount,
    kIsThought,      ///< Whether it is part of the model's reasoning.
    kIsJoined,       ///< Whether it continues the row before.
    kIsLastPart,     ///< Whether it is the last part of code, a table or a user's message.
    kPart,           ///< Index of the part, from 0.
    kCodeState,      ///< The lexer's state at the beginning of the code.
    kState,          ///< BlockDisplay of code and tables.
    kIsFolded,       ///< Whether reasoning or code is folded.
    kFoldText,       ///< Label of the button that folds or unfolds: "Show all 812 lines", or empty.
    kThoughtText,    ///< "Thought for 3.2 s".
    kIsRightToLeft,  ///< Its text begins at the right.
  };

  /// Shows the message `only` instead of the branch, unless it is 0.
  explicit TimelineModel(const Conversation& conversation, RecordId only = 0,
                         QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(m_rows.size()); }

  /// Where the prices of remote models are; null: there are none.
  void setRemote(const RemoteModels* remote) { m_remote = remote; }

  /// Called when the branch changed. The rows of the messages that both branches begin with stay.
  void syncPath();
  /// Called when the text of an answer grew by `text`.
  void appendText(RecordId messageId, QStringView text);
  /// The message that is edited in its place, as one row; 0: none.
  void setEdited(RecordId messageId);
  /// Called when the status, counts or versions of a message changed.
  void refreshMessage(RecordId messageId);
  /// The same for all messages.
  void refresh() { announceRows(); }
  /// Called when an answer is complete; parses the rest of its text. A long answer may have to be
  /// read again, which goes on between frames.
  void finishMessage(RecordId messageId);
  void setPhase(RecordId messageId, Phase phase);
  /// Sets the details of an answer's prompt.
  void setPrompt(RecordId messageId, const PromptNote& note);
  const PromptNote* findPrompt(RecordId messageId) const;  ///< Null: not known.
  /// The message that this row belongs to; 0: there is no such row.
  Q_INVOKABLE double messageAt(int row) const;
  /// Folds or unfolds the code, message or reasoning of this row.
  Q_INVOKABLE void toggleFold(int row);
  /// The whole code, formula or table that this row is a part of; cells are separated by tabs.
  Q_INVOKABLE QString sourceAt(int row) const;
  Q_INVOKABLE void copySource(int row) const;
  /// Copies the table that this row is a part of, as plain text and as HTML.
  Q_INVOKABLE void copyTable(int row) const;
  /// The blocks of the whole answer.
  QList<MarkdownBlock> blocksOf(RecordId messageId) const;
  bool isLoading() const { return m_firstLoaded > 0; }

  Q_INVOKABLE int firstRowOf(
      qint64 messageId) const;  ///< -1: not on the shown branch, or not loaded yet.

  /// A place in the texts of a message: a block of an answer, or a piece of a user's message.
  struct TextPlace {
    int block = 0;
    qsizetype offset = 0;  ///< Of a user's message: where the piece begins.
  };
  /// The messages of the branch, loaded or not.
  const QList<RecordId>& shownMessages() const { return m_shown; }
  /// The index of a message in the branch; -1: it is not shown.
  qsizetype positionOf(RecordId messageId) const { return m_positions.value(messageId, -1); }
  /// The blocks of a message in which text can be selected, folded ones too; of a user's message
  /// its pieces, as paragraphs.
  QList<MarkdownBlock> selectableBlocks(RecordId messageId) const;
  bool isUserMessage(RecordId messageId) const;
  /// Whether the reasoning of an answer is unfolded.
  bool showsThought(RecordId messageId) const;
  /// The messages of the branch that are loaded, in its order.
  QList<RecordId> loadedMessages() const { return m_shown.mid(m_firstLoaded); }
  /// The texts that the reader sees at a place, such as the cells of a table's row, folded ones
  /// too; moves `place` to the next one. nullopt: that was the end.
  std::optional<QStringList> readTexts(RecordId messageId, TextPlace& place) const;
  /// The row that shows a block; -1: it is folded, or not loaded.
  int rowOfBlock(RecordId messageId, int block) const;
  /// The place of a row; for a footer and a heading of reasoning, that of the text beside it.
  std::pair<RecordId, int> placeOfRow(int row) const;
  /// Unfolds what hides a block.
  void unfold(RecordId messageId, int block);

 signals:
  /// Older messages were loaded, or another branch is shown.
  void messagesChanged();
  /// The texts of a message changed from this block on.
  void textsChanged(qint64 messageId, int from);

 private:
  struct Row {
    RowKind kind = RowKind::User;
    RecordId message = 0;
    bool isFirst = false;
    MarkdownBlock block;
    int blockIndex = 0;
    TextDirection direction = TextDirection::None;  ///< None: the window's.
  };
  /// The parsed text of a message, and which parts of it are unfolded.
  struct Parsed {
    MessageBlocks blocks;
    QList<TextDirection> directions;  ///< Of the blocks that have rows.
    qsizetype length = 0;             ///< Length of the parsed text.
    bool isFoldable = true;  ///< Long code can be folded, since it was not streamed while shown.
    bool isThoughtOpen = false;
    QSet<int> unfolded;  ///< Groups of long code; 0 for a user's message.
    QHash<int, BlockDisplay*> states;
  };

  bool parseMore(const MessageRecord& message, qsizetype characters);
  void finishBlocks(RecordId messageId);
  /// Null: nothing of the message was parsed.
  Parsed* findParsed(RecordId messageId) const { return m_parsed.value(messageId).get(); }
  Parsed& parsedOf(RecordId messageId);
  QList<Row> rowsOf(const MessageRecord& message);
  QList<Row> userRows(const MessageRecord& message);
  static qsizetype userPieceEnd(const QString& text, qsizetype from);
  QList<Row> blockRows(const MessageRecord& message, int from);
  static void noteDirections(Parsed& parsed, int from);
  bool isFolded(const Parsed& parsed, qsizetype block) const;
  bool isFoldedRow(const Row& row) const;
  BlockDisplay* stateOf(const Row& row) const;
  int lastRowOf(RecordId messageId) const;
  /// The first row of the message at `position` of the branch, or of the next one that has rows.
  int rowAtPosition(qsizetype position) const;
  /// Updates the rows of a message from its block `from` on.
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
  QString markerOf(const Row& row) const;
  Phase phaseOf(const MessageRecord& message) const;
  static bool isRunning(Phase phase) { return phase <= Phase::Writing; }
  static bool warns(Phase phase) { return phase == Phase::Failed || phase == Phase::Interrupted; }
  bool isStreamingRow(int row) const;
  QString phaseText(const MessageRecord& message) const;
  QString tokensText(const MessageRecord& message) const;
  QString tokensHint(const MessageRecord& message) const;
  void declareRoles();
  void declareFooterRoles();

  const Conversation& m_conversation;
  const RecordId m_only;
  const RemoteModels* m_remote = nullptr;
  QList<Row> m_rows;
  QList<RecordId> m_shown;                 ///< The branch.
  QHash<RecordId, qsizetype> m_positions;  ///< Indices into m_shown.
  qsizetype m_firstLoaded = 0;             ///< Messages of m_shown before it have no rows yet.
  QHash<RecordId, std::shared_ptr<Parsed>> m_parsed;
  QSet<RecordId> m_unfinished;  ///< Answers that have ended and are being read again.
  RecordId m_edited = 0;
  ThoughtClock m_thoughts;
  QTimer m_loadTimer;
  QHash<RecordId, Phase> m_phases;  ///< Phases of running answers.
  QHash<RecordId, PromptNote> m_prompts;
};

}  // namespace quire
