#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QPointer>

#include <limits>
#include <memory>
#include <optional>

#include "app/chat/find_text.h"
#include "app/chat/timeline_model.h"
#include "app/richtext/block_slice.h"

class QMimeData;

namespace quire {

/// A place in the texts of a timeline: before a character of a block's selectableText().
struct TextPosition {
  static constexpr qsizetype kEnd = std::numeric_limits<qsizetype>::max() / 2;

  RecordId message = 0;  ///< 0: no place.
  int block = 0;
  qsizetype offset = 0;  ///< kEnd: after the last character.

  bool operator==(const TextPosition&) const = default;
};

/// The selected text of a chat, over any number of blocks and messages. It is a range of positions
/// in the messages, not in items: what is copied does not depend on which rows have items, and a
/// selection stays on its characters while an answer grows. Folded code and folded messages are
/// copied whole if the selection goes over them; folded reasoning is left out.
///
/// Thread: the window's.
/// Invariants: m_begin <= m_end, and m_caret is one of them; all are in messages of the shown
/// branch, or there is no selection.
/// It listens to a timeline only while it has an anchor there.
class ChatSelection : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(bool isEmpty READ isEmpty NOTIFY changed)
  Q_PROPERTY(QString spokenText READ spokenText NOTIFY changed)

 public:
  using QObject::QObject;

  bool isEmpty() const;
  /// Whether a click left an anchor in this timeline, which can be extended.
  bool hasAnchor(const TimelineModel* timeline) const { return timeline && timeline == m_timeline; }
  /// Selects the unit at a position, and makes it the anchor.
  void start(TimelineModel& timeline, const TextPosition& position, TextUnit unit);
  /// Selects from the anchor to a position, in whole units.
  void extend(const TextPosition& position);
  /// The end that was moved last, which keys move; a place only while there is an anchor.
  const TextPosition& caret() const { return m_caret; }
  /// Moves that end, while the other one stays.
  void moveCaret(const TextPosition& position);
  Q_INVOKABLE void selectAll(quire::TimelineModel* timeline);
  Q_INVOKABLE void clear();
  /// Copies as plain text and as HTML.
  Q_INVOKABLE void copy() const;
  /// Handles the keys that select all, copy and remove the selection; false: it is another key.
  Q_INVOKABLE bool handleKey(quire::TimelineModel* timeline, int key, int modifiers);

  QString plainText() const;
  std::unique_ptr<QMimeData> mimeData() const;
  /// "Selected: ..." with the beginning of the text, for screen readers; empty without a selection.
  QString spokenText() const;
  /// The selected characters of a block; nullopt: none.
  std::optional<TextSpan> spanIn(const TimelineModel* timeline, RecordId message, int block) const;

 signals:
  void changed();

 private:
  struct Range {
    TextPosition begin;
    TextPosition end;
  };

  bool isBefore(const TextPosition& one, const TextPosition& other) const;
  Range unitRange(const TextPosition& position) const;
  void select(const Range& range);
  void follow(TimelineModel* timeline);
  void onMessagesChanged();
  void onTextsChanged(RecordId message);
  /// The selected parts of the blocks, at most `maxBlocks`.
  QList<MarkdownBlock> slices(int maxBlocks) const;
  void appendSlices(RecordId message, int maxBlocks, QList<MarkdownBlock>& slices) const;
  void appendUserText(RecordId message, QList<MarkdownBlock>& slices) const;

  QPointer<TimelineModel> m_timeline;
  TextUnit m_unit = TextUnit::Character;
  Range m_anchor;
  TextPosition m_begin;
  TextPosition m_end;
  TextPosition m_caret;
};

}  // namespace quire
