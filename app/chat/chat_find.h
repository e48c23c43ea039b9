#pragma once

#include <QtQml/qqmlregistration.h>
#include <QHash>
#include <QObject>
#include <QTimer>

#include "app/chat/find_text.h"
#include "app/chat/timeline_model.h"

namespace quire {

/// "Find in this chat": counts the matches in all messages of the shown branch, whether they have
/// items or not, and moves from one to the next. Texts are searched in slices of a few
/// milliseconds; while an answer streams, only what changed is searched again. A match does not
/// extend over two blocks.
///
/// Thread: the window's.
/// Invariants: while it is closed or the query is empty nothing is searched; the current match, if
/// there is one, is counted in m_found.
class ChatFind : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by a chat.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY openChanged)
  Q_PROPERTY(QString query READ query WRITE setQuery NOTIFY queryChanged)
  Q_PROPERTY(QString countText READ countText NOTIFY changed)
  Q_PROPERTY(bool hasMatches READ hasMatches NOTIFY changed)
  Q_PROPERTY(bool isMissing READ isMissing NOTIFY changed)

 public:
  explicit ChatFind(TimelineModel& timeline, QObject* parent = nullptr);

  bool isOpen() const { return m_isOpen; }
  const QString& query() const { return m_query; }
  void setQuery(const QString& query);
  const FindPattern& pattern() const { return m_pattern; }  ///< Empty while it is closed.
  QString countText() const;  ///< "3 of 17", "No matches"; empty without a query.
  bool hasMatches() const { return total() > 0; }
  /// Whether everything was searched and nothing found.
  bool isMissing() const { return isSearching() && m_queue.isEmpty() && total() == 0; }
  bool isScanning() const { return !m_queue.isEmpty(); }

  /// The row of the current match; -1: there is none, or its row is folded.
  int currentRow() const;
  /// Its number among the matches of its row, from 0.
  int currentInRow() const { return m_current.ordinal; }

  /// Opens the bar, or asks for its focus.
  Q_INVOKABLE void open();
  Q_INVOKABLE void close();
  /// Moves to the match after (1) or before (-1) the current one; opens the bar if it is closed.
  Q_INVOKABLE void move(int step);
  /// The first match is looked for from this row on, which is the first one in view.
  Q_INVOKABLE void setOrigin(int row);
  /// Unfolds what hides the current match.
  void unfoldCurrent();

 signals:
  void openChanged();
  void queryChanged();
  void changed();
  void focusWanted();  ///< The query's field should get the focus.
  void moved();        ///< The current match should be scrolled into view.

 private:
  struct Hit {
    int block = 0;
    int count = 0;
  };
  /// The matches of a message as far as it was searched.
  struct Found {
    QList<Hit> hits;  ///< Ascending; none has the count 0.
    int total = 0;
    TimelineModel::TextPlace next;
  };
  /// A match; message 0: none.
  struct Current {
    RecordId message = 0;
    int block = 0;
    int ordinal = 0;
  };

  bool isSearching() const { return m_isOpen && !m_pattern.isEmpty(); }
  int total() const;
  void restart();
  void onMessagesChanged();
  void onTextsChanged(RecordId message, int from);
  void scan();
  /// Searches more of a message; false: it is all searched.
  bool scanNext(RecordId message);
  void chooseCurrent();
  Current firstFrom(RecordId message, int block) const;
  Current matchAt(int index) const;
  int indexOf(const Current& match) const;

  TimelineModel& m_timeline;
  bool m_isOpen = false;
  QString m_query;
  FindPattern m_pattern;
  QHash<RecordId, Found> m_found;
  QList<RecordId> m_queue;  ///< Messages that are not searched to their end.
  QTimer m_timer;
  std::pair<RecordId, int> m_origin;
  Current m_current;
  bool m_isMoveWanted = false;  ///< The first match of a new query is scrolled into view.
};

}  // namespace quire
