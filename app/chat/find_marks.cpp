#include "app/chat/find_marks.h"

#include <QQuickWindow>
#include <QSGRectangleNode>
#include <QTextDocument>

#include <algorithm>
#include <cmath>

#include "app/chat/text_areas.h"
#include "app/richtext/markup_text.h"

namespace quire {
namespace {

constexpr qsizetype kMaxMarks = 1500;  ///< More in one view would only cost time.
constexpr double kEdgeMargin = 24.0;
constexpr int kCenter = 1;  ///< ListView.Center.

}  // namespace

FindMarks::FindMarks(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  connect(this, &FindMarks::inputChanged, this, &FindMarks::schedule);
  connect(this, &QQuickItem::widthChanged, this, &FindMarks::schedule);
  connect(this, &QQuickItem::heightChanged, this, &FindMarks::schedule);
}

void FindMarks::setView(QQuickItem* view) {
  if (view == m_view) return;
  if (m_view) disconnect(m_view, nullptr, this, nullptr);
  m_view = view;
  if (m_view) {
    // Flickable has no public C++ header: its signals are connected by name.
    connect(m_view, SIGNAL(contentYChanged()), this, SLOT(schedule()));
    connect(m_view, SIGNAL(contentHeightChanged()), this, SLOT(schedule()));
    connect(m_view, SIGNAL(originYChanged()), this, SLOT(schedule()));
  }
  emit inputChanged();
}

void FindMarks::setFind(ChatFind* find) {
  if (find == m_find) return;
  if (m_find) disconnect(m_find, nullptr, this, nullptr);
  m_find = find;
  if (m_find) {
    connect(m_find, &ChatFind::changed, this, &FindMarks::schedule);
    connect(m_find, &ChatFind::openChanged, this, &FindMarks::schedule);
    connect(m_find, &ChatFind::moved, this, &FindMarks::showCurrent, Qt::QueuedConnection);
  }
  emit inputChanged();
}

void FindMarks::schedule() {
  const bool isEmpty = !m_find || m_find->pattern().isEmpty();
  if (isEmpty && m_marks.isEmpty()) return;
  m_numRechecks = 2;
  polish();
}

void FindMarks::updatePolish() {
  const QList<Mark> marks = marksInView();
  if (--m_numRechecks > 0) {
    QMetaObject::invokeMethod(
        this, [this] { polish(); }, Qt::QueuedConnection);
  }
  if (marks == m_marks) return;
  m_marks = marks;
  update();
  emit marksChanged();
}

QList<FindMarks::Mark> FindMarks::marksInView() {
  QList<Mark> marks;
  if (!m_view || !m_find || m_find->pattern().isEmpty()) return marks;
  const auto* content = m_view->property("contentItem").value<QQuickItem*>();
  if (!content) return marks;
  const QRectF area(0.0, 0.0, width(), height());
  const int currentRow = m_hasCurrent ? m_find->currentRow() : -1;
  for (QQuickItem* child : content->childItems()) {
    if (!child->mapRectToItem(this, child->boundingRect()).intersects(area)) continue;
    const QVariant row = child->property("index");
    // Items that the list keeps for later have a stale index and place.
    if (!row.isValid() || rowItem(m_view, row.toInt()) != child) continue;
    const bool isCurrentRow = row.toInt() == currentRow;
    if (marks.size() >= kMaxMarks && !isCurrentRow) continue;
    addMarksOf(child, isCurrentRow ? m_find->currentInRow() : -1, marks);
  }
  return marks;
}

void FindMarks::addMarksOf(QQuickItem* row, int current, QList<Mark>& marks) {
  const QRectF area(0.0, 0.0, width(), height());
  qsizetype numBefore = 0;  // Matches in the row's texts before this one.
  for (QQuickItem* text : textItemsOf(row)) {
    const QTextDocument* document = documentOf(text);
    if (!document) continue;
    for (QQuickItem* at = text; at != row; at = at->parentItem()) {
      if (at->inherits("QQuickFlickable"))  // Code and tables that are wider than the column.
        connect(at, SIGNAL(contentXChanged()), this, SLOT(schedule()), Qt::UniqueConnection);
    }
    const QList<TextSpan> spans = spansOf(*document);
    const auto [first, last] = positionsIn(text, *document, this, area);
    auto span = std::ranges::partition_point(
        spans, [first](const TextSpan& one) { return one.begin + one.length < first; });
    for (; span != spans.cend() && span->begin <= last; ++span) {
      const bool isCurrent = numBefore + (span - spans.cbegin()) == current;
      if (marks.size() >= kMaxMarks && !isCurrent) continue;
      for (const QRectF& rect : rectsOf(*document, span->begin, span->length)) {
        const QRectF shown = shownRect(text, rect, this);
        if (!shown.isEmpty()) marks.append({shown, isCurrent});
      }
    }
    numBefore += spans.size();
  }
}

QList<TextSpan> FindMarks::spansOf(const QTextDocument& document) {
  if (m_find->pattern() != m_spansPattern) {
    m_spans.clear();
    m_spansPattern = m_find->pattern();
  }
  if (const auto known = m_spans.constFind(&document); known != m_spans.cend()) return *known;
  connect(&document, &QTextDocument::contentsChanged, this, &FindMarks::forgetSpans,
          Qt::UniqueConnection);
  connect(&document, &QObject::destroyed, this, &FindMarks::forgetSpans, Qt::UniqueConnection);
  return *m_spans.insert(&document, m_spansPattern.find(searchedText(document)));
}

/// A document has changed or is gone.
void FindMarks::forgetSpans() {
  if (m_spans.remove(sender())) schedule();
}

QRectF FindMarks::currentRect() const {
  const auto current = std::ranges::find(m_marks, true, &Mark::isCurrent);
  return current == m_marks.cend() ? QRectF() : current->rect;
}

FindMarks::Place FindMarks::placeOfCurrent() {
  QQuickItem* row = m_find ? rowItem(m_view, m_find->currentRow()) : nullptr;
  qsizetype number = m_find ? m_find->currentInRow() : 0;
  for (QQuickItem* text : row ? textItemsOf(row) : QList<QQuickItem*>()) {
    const QTextDocument* document = documentOf(text);
    if (!document) continue;
    const QList<TextSpan> spans = spansOf(*document);
    if (number < spans.size()) {
      const QList<QRectF> rects = rectsOf(*document, spans[number].begin, spans[number].length);
      return rects.isEmpty() ? Place() : Place{text, rects.first()};
    }
    number -= spans.size();
  }
  return {};
}

void FindMarks::showCurrent() {
  if (!m_hasCurrent || !m_view || !m_find || !isVisible()) return;
  m_find->unfoldCurrent();
  const int row = m_find->currentRow();
  if (row < 0) return;
  if (m_follower) m_follower->letGo();
  QMetaObject::invokeMethod(m_view, "forceLayout");
  if (!rowItem(m_view, row)) {
    QMetaObject::invokeMethod(m_view, "positionViewAtIndex", Q_ARG(int, row), Q_ARG(int, kCenter));
    QMetaObject::invokeMethod(m_view, "forceLayout");
  }
  const Place place = placeOfCurrent();
  if (place.text) scrollSideways(place.text, place.rect, m_view);
  for (int i = 0; i < 2; ++i) {  // Again, now that the heights of the new rows are known.
    bringIntoView(placeOfCurrent());
    QMetaObject::invokeMethod(m_view, "forceLayout");
  }
  schedule();
}

void FindMarks::bringIntoView(const Place& place) {
  if (!place.text) return;
  const QRectF rect = place.text->mapRectToItem(this, place.rect);
  if (rect.top() >= kEdgeMargin && rect.bottom() <= height() - kEdgeMargin) return;
  const double first = m_view->property("originY").toDouble();
  const double last = first + m_view->property("contentHeight").toDouble() +
                      m_view->property("bottomMargin").toDouble() - m_view->height();
  const double y = m_view->property("contentY").toDouble() + rect.top() - 0.4 * height();
  m_view->setProperty("contentY", std::round(std::max(first, std::min(y, last))));
}

/// A new root each time: Qt's software renderer loses the place of nodes that are added to a node
/// which it knows already, and draws them at the window's corner.
QSGNode* FindMarks::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  delete old;
  auto* root = new QSGNode;
  for (const Mark& mark : m_marks) {
    QSGRectangleNode* node = window()->createRectangleNode();
    node->setRect(mark.rect.adjusted(-1.0, 0.0, 1.0, 0.0));
    node->setColor(mark.isCurrent ? m_currentColor : m_color);
    root->appendChildNode(node);
  }
  return root;
}

}  // namespace quire
