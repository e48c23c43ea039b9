#pragma once

#include <QtQml/qqmlregistration.h>
#include <QColor>
#include <QElapsedTimer>
#include <QPointer>
#include <QQuickItem>
#include <QTimer>

#include <optional>

#include "app/chat/chat_selection.h"
#include "app/chat/spoken_caret.h"
#include "app/chat/tail_follower.h"

namespace quire {

/// Selects text with the mouse and with keys in a list of messages, and shows the selection in the
/// rows that are alive. It lies over the list and takes the presses of the left button that no
/// control below it wants; the text items show what is selected as their own selection, which
/// therefore lies below their letters and follows their line breaks in any direction of writing.
///
/// The keys are in selection_keys.cpp.
///
/// Thread: the window's; updatePaintNode() runs on the render thread while the window's waits.
/// Invariants: while there is neither a selection nor a caret, scrolling does no work here.
class SelectionArea : public QQuickItem {
  Q_OBJECT
  QML_ELEMENT
  Q_PROPERTY(QQuickItem* view READ view WRITE setView NOTIFY inputChanged REQUIRED)
  Q_PROPERTY(
      quire::TimelineModel* timeline READ timeline WRITE setTimeline NOTIFY inputChanged REQUIRED)
  Q_PROPERTY(quire::ChatSelection* selection READ selection WRITE setSelection NOTIFY inputChanged
                 REQUIRED)
  Q_PROPERTY(quire::TailFollower* follower MEMBER m_follower NOTIFY inputChanged)
  Q_PROPERTY(QColor color MEMBER m_color NOTIFY inputChanged)  ///< Of selected formulas.
  Q_PROPERTY(QColor caretColor MEMBER m_caretColor NOTIFY inputChanged)
  Q_PROPERTY(quire::SpokenCaret* spokenCaret READ spokenCaret CONSTANT)

 public:
  explicit SelectionArea(QQuickItem* parent = nullptr);

  QQuickItem* view() const { return m_view; }
  void setView(QQuickItem* view);
  TimelineModel* timeline() const { return m_timeline; }
  void setTimeline(TimelineModel* timeline);
  ChatSelection* selection() const { return m_selection; }
  void setSelection(ChatSelection* selection);
  SpokenCaret* spokenCaret() { return &m_spokenCaret; }
  /// F7 shows or hides a caret in the text, which the arrow keys, Home and End move. With Shift,
  /// and also without a caret, they move the end of the selection that was moved last. Both scroll
  /// to it. False: it is another key, or there is neither a caret nor a place that was clicked.
  Q_INVOKABLE bool handleKey(int key, int modifiers);

 signals:
  void inputChanged();

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void mouseUngrabEvent() override;
  void keyPressEvent(QKeyEvent* event) override;
  void updatePolish() override;
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData*) override;

 private slots:
  void schedule();

 private:
  /// The position nearest to a point of this item; nullopt: the list is empty.
  std::optional<TextPosition> positionAt(const QPointF& point) const;
  TextPosition positionInRow(int row, const QPointF& point) const;
  bool isSelectable(QMouseEvent& event) const;
  QString linkAt(const QPointF& point) const;
  void openLink() const;
  bool isTripleClick(const QMouseEvent& event) const;
  void begin(QMouseEvent& event, TextUnit unit);
  void extend();
  void scrollBy(double pixels);
  void scrollAtEdge();
  void endDrag();
  bool hasCaret() const;
  bool toggleCaret();
  void hideCaret();
  void tellCaret(int key, bool isFar);
  void moveWithKey(int key, bool isFar, bool selects);
  QRectF caretRect();
  TextPosition caretAfter(int key, bool isFar) const;
  TextPosition inNextLine(bool isBelow);
  void showCaret();
  void showIn(QQuickItem* row, QList<QPointer<QQuickItem>>& marked, QList<QRectF>& formulas);

  QPointer<QQuickItem> m_view;
  QPointer<TimelineModel> m_timeline;
  QPointer<ChatSelection> m_selection;
  QPointer<TailFollower> m_follower;
  QColor m_color;
  QColor m_caretColor;
  QPointF m_pressed;
  QPointF m_mouse;  ///< The last place of the pointer while the button is held.
  bool m_isDragging = false;
  bool m_wasExtended = false;  ///< The press extended the selection, or selected a word.
  QTimer m_scrolling;
  QElapsedTimer m_sinceDoubleClick;
  QPointF m_doubleClicked;
  double m_column = 0.0;    ///< Where the caret wants to be in other lines, from the left.
  TextPosition m_columnOf;  ///< The caret that m_column belongs to.
  QList<QPointer<QQuickItem>> m_marked;  ///< Text items in which something is selected.
  QList<QRectF> m_formulas;              ///< Selected formulas in view.
  bool m_isCaretWanted = false;          ///< By F7; it is shown once it has a place.
  QRectF m_caretRect;                    ///< Where the caret is drawn; empty: nowhere.
  SpokenCaret m_spokenCaret;
  int m_numRechecks = 0;  ///< The list may lay out its rows after this item.
};

}  // namespace quire
