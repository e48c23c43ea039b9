#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QHash>
#include <QPointer>
#include <QQuickItem>

#include "app/chat/chat_find.h"
#include "app/chat/tail_follower.h"

class QTextDocument;

namespace quire {

/// Marks the matches of "Find in this chat" in the text items of a list of messages, and scrolls to
/// the current one. It lies over the list and looks at the items that the list shows now, so that
/// the items themselves know nothing of the search.
///
/// Thread: the window's; updatePaintNode() runs on the render thread while the window's waits.
class FindMarks : public QQuickItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickItem* view READ view WRITE setView NOTIFY inputChanged REQUIRED)
  Q_PROPERTY(quire::ChatFind* find READ find WRITE setFind NOTIFY inputChanged REQUIRED)
  Q_PROPERTY(quire::TailFollower* follower MEMBER m_follower NOTIFY inputChanged)
  /// Whether the list shows the branch that is searched, whose current match is marked.
  Q_PROPERTY(bool hasCurrent MEMBER m_hasCurrent NOTIFY inputChanged)
  Q_PROPERTY(QColor color MEMBER m_color NOTIFY inputChanged)
  Q_PROPERTY(QColor currentColor MEMBER m_currentColor NOTIFY inputChanged)
  Q_PROPERTY(int count READ count NOTIFY marksChanged)
  /// Where the current match is, in this item's coordinates; empty: it is not in view.
  Q_PROPERTY(QRectF currentRect READ currentRect NOTIFY marksChanged)

 public:
  explicit FindMarks(QQuickItem* parent = nullptr);

  QQuickItem* view() const { return m_view; }
  void setView(QQuickItem* view);
  ChatFind* find() const { return m_find; }
  void setFind(ChatFind* find);
  int count() const { return static_cast<int>(m_marks.size()); }
  QRectF currentRect() const;

 signals:
  void inputChanged();
  void marksChanged();

 protected:
  void updatePolish() override;
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;

 private slots:
  void schedule();
  void showCurrent();
  void forgetSpans();

 private:
  struct Mark {
    QRectF rect;
    bool isCurrent = false;

    bool operator==(const Mark&) const = default;
  };

  /// Where a match begins; null: it has no item.
  struct Place {
    QQuickItem* text = nullptr;
    QRectF rect;  ///< In the text item's coordinates.
  };

  QList<Mark> marksInView();
  /// Adds the marks of a row that are in view. `current`: the number of the current match in the
  /// row, which is added even to too many others; -1: it has none.
  void addMarksOf(QQuickItem* row, int current, QList<Mark>& marks);
  QList<TextSpan> spansOf(const QTextDocument& document);
  Place placeOfCurrent();
  /// Scrolls so that a place is in view.
  void bringIntoView(const Place& place);

  QPointer<QQuickItem> m_view;
  QPointer<ChatFind> m_find;
  QPointer<TailFollower> m_follower;
  bool m_hasCurrent = true;
  QColor m_color;
  QColor m_currentColor;
  QList<Mark> m_marks;
  /// The matches in the documents that were in view, until the text or the query changes.
  QHash<const QObject*, QList<TextSpan>> m_spans;
  FindPattern m_spansPattern;  ///< What m_spans was found with.
  int m_numRechecks = 0;       ///< The list may lay out its rows after this item.
};

}  // namespace quire
