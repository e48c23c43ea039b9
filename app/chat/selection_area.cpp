#include "app/chat/selection_area.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPointingDevice>
#include <QQuickWindow>
#include <QSGRectangleNode>
#include <QStyleHints>

#include <algorithm>
#include <cmath>

#include "app/chat/caret_lines.h"
#include "app/chat/row_texts.h"
#include "app/chat/text_areas.h"

namespace quire {
namespace {

constexpr int kScrollMs = 16;
constexpr double kScrollEdge = 20.0;  ///< Nearer to an edge than this, a drag scrolls.
constexpr double kMaxScroll = 40.0;   ///< Pixels a step.
constexpr double kCaretWidth = 2.0;

/// The topmost item at a point of the scene that takes the left button; null: there is none.
QQuickItem* clickableAt(QQuickItem* item, const QPointF& scene, const QQuickItem* except) {
  if (item == except || !item->isVisible() || !item->isEnabled()) return nullptr;
  const bool isInside = item->contains(item->mapFromScene(scene));
  if (item->clip() && !isInside) return nullptr;
  const QList<QQuickItem*> children = item->childItems();
  for (auto child = children.crbegin(); child != children.crend(); ++child) {
    if (QQuickItem* found = clickableAt(*child, scene, except)) return found;
  }
  const bool takes = isInside && item->acceptedMouseButtons().testFlag(Qt::LeftButton);
  return takes ? item : nullptr;
}

bool isText(const QQuickItem& item) {
  return item.inherits("QQuickTextEdit") && item.property("readOnly").toBool();
}

double distanceTo(const QQuickItem& item, const QPointF& point) {
  const double x = std::max({0.0, -point.x(), point.x() - item.width()});
  const double y = std::max({0.0, -point.y(), point.y() - item.height()});
  return x + y;
}

}  // namespace

SelectionArea::SelectionArea(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  setAcceptedMouseButtons(Qt::LeftButton);
  m_scrolling.setInterval(kScrollMs);
  connect(&m_scrolling, &QTimer::timeout, this, &SelectionArea::scrollAtEdge);
  connect(this, &SelectionArea::inputChanged, this, &SelectionArea::schedule);
  connect(this, &QQuickItem::activeFocusChanged, this, &SelectionArea::schedule);
}

void SelectionArea::setView(QQuickItem* view) {
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

void SelectionArea::setTimeline(TimelineModel* timeline) {
  if (timeline == m_timeline) return;
  m_timeline = timeline;
  emit inputChanged();
}

void SelectionArea::setSelection(ChatSelection* selection) {
  if (selection == m_selection) return;
  if (m_selection) disconnect(m_selection, nullptr, this, nullptr);
  m_selection = selection;
  if (m_selection) connect(m_selection, &ChatSelection::changed, this, &SelectionArea::schedule);
  emit inputChanged();
}

std::optional<TextPosition> SelectionArea::positionAt(const QPointF& point) const {
  const int last = m_timeline ? m_timeline->numRows() - 1 : -1;
  const auto* content = m_view ? m_view->property("contentItem").value<QQuickItem*>() : nullptr;
  if (last < 0 || !content) return std::nullopt;
  const QPointF inView(std::clamp(point.x(), 1.0, std::max(1.0, width() - 1)),
                       std::clamp(point.y(), 0.0, std::max(0.0, height() - 1)));
  const QPointF at = mapToItem(content, inView);
  int row = -1;
  QMetaObject::invokeMethod(m_view, "indexAt", Q_RETURN_ARG(int, row), Q_ARG(double, at.x()),
                            Q_ARG(double, at.y()));
  if (row >= 0) return positionInRow(row, mapToItem(rowItem(m_view, row), inView));
  const bool isAbove = at.y() <= m_view->property("originY").toDouble();
  const auto [message, block] = m_timeline->placeOfRow(isAbove ? 0 : last);
  return TextPosition{message, block, isAbove ? 0 : TextPosition::kEnd};
}

/// In a row without text it is the end of the text before it, or the beginning of that after it.
TextPosition SelectionArea::positionInRow(int row, const QPointF& point) const {
  const TimelineModel::RowKind kind = kindOfRow(*m_timeline, row);
  const auto [message, block] = m_timeline->placeOfRow(row);
  const bool isFooter = kind == TimelineModel::RowKind::Footer;
  TextPosition position{message, block, isFooter ? TextPosition::kEnd : 0};
  QQuickItem* item = rowItem(m_view, row);
  if (!item || !hasText(kind)) return position;
  const QList<RowText> texts = RowText::of(item);
  const auto distance = [&](const RowText& text) {
    return distanceTo(*text.item(), item->mapToItem(text.item(), point));
  };
  const auto nearest = std::ranges::min_element(texts, {}, distance);
  if (nearest != texts.cend()) {
    position.offset = nearest->positionAt(item->mapToItem(nearest->item(), point));
  } else if (point.y() > item->height() / 2) {
    position.offset = TextPosition::kEnd;
  }
  return position;
}

/// Whether text can be selected from here: there is no control, and it is not a finger.
bool SelectionArea::isSelectable(QMouseEvent& event) const {
  if (!m_view || !m_timeline || !m_selection) return false;
  if (event.pointingDevice()->type() == QInputDevice::DeviceType::TouchScreen) return false;
  const QQuickItem* target = clickableAt(m_view, event.scenePosition(), this);
  return !target || isText(*target) || target->inherits("QQuickFlickable");
}

QString SelectionArea::linkAt(const QPointF& point) const {
  QQuickItem* target = m_view ? clickableAt(m_view, mapToScene(point), this) : nullptr;
  if (!target || !isText(*target)) return {};
  const QPointF at = mapToItem(target, point);
  QString link;
  QMetaObject::invokeMethod(target, "linkAt", Q_RETURN_ARG(QString, link), Q_ARG(double, at.x()),
                            Q_ARG(double, at.y()));
  return link;
}

/// Opens the link on which the button was pressed and released.
void SelectionArea::openLink() const {
  const QString link = linkAt(m_mouse);
  if (link.isEmpty() || link != linkAt(m_pressed)) return;
  QQuickItem* text = clickableAt(m_view, mapToScene(m_mouse), this);
  QMetaObject::invokeMethod(text, "linkActivated", Q_ARG(QString, link));
}

bool SelectionArea::isTripleClick(const QMouseEvent& event) const {
  const QStyleHints& hints = *QGuiApplication::styleHints();
  return m_sinceDoubleClick.isValid() &&
         m_sinceDoubleClick.elapsed() < hints.mouseDoubleClickInterval() &&
         (event.position() - m_doubleClicked).manhattanLength() < hints.startDragDistance();
}

void SelectionArea::begin(QMouseEvent& event, TextUnit unit) {
  m_pressed = m_mouse = event.position();
  const auto position = isSelectable(event) ? positionAt(m_pressed) : std::nullopt;
  if (!position) return event.ignore();
  // A click beside the text leaves the keyboard where it is.
  const QQuickItem* target = clickableAt(m_view, event.scenePosition(), this);
  if (target && isText(*target)) forceActiveFocus(Qt::MouseFocusReason);
  setKeepMouseGrab(true);
  m_isDragging = false;
  const bool extends = event.modifiers().testFlag(Qt::ShiftModifier) &&
                       unit == TextUnit::Character && m_selection->hasAnchor(m_timeline);
  m_wasExtended = extends || unit != TextUnit::Character;
  if (extends) {
    m_selection->extend(*position);
  } else {
    m_selection->start(*m_timeline, *position, unit);
  }
}

void SelectionArea::mousePressEvent(QMouseEvent* event) {
  begin(*event, isTripleClick(*event) ? TextUnit::Paragraph : TextUnit::Character);
  m_sinceDoubleClick.invalidate();
}

void SelectionArea::mouseDoubleClickEvent(QMouseEvent* event) {
  begin(*event, TextUnit::Word);
  m_sinceDoubleClick.start();
  m_doubleClicked = event->position();
}

void SelectionArea::mouseMoveEvent(QMouseEvent* event) {
  m_mouse = event->position();
  const bool isFar =
      (m_mouse - m_pressed).manhattanLength() >= QGuiApplication::styleHints()->startDragDistance();
  if (!m_isDragging && !isFar) return;
  if (!std::exchange(m_isDragging, true)) {
    forceActiveFocus(Qt::MouseFocusReason);
    if (m_follower) m_follower->letGo();
  }
  const bool isAtEdge = m_mouse.y() < kScrollEdge || m_mouse.y() > height() - kScrollEdge;
  if (!isAtEdge) {
    m_scrolling.stop();
  } else if (!m_scrolling.isActive()) {
    m_scrolling.start();
  }
  extend();
}

void SelectionArea::extend() {
  const auto position = m_selection ? positionAt(m_mouse) : std::nullopt;
  if (position && m_selection->hasAnchor(m_timeline)) m_selection->extend(*position);
}

void SelectionArea::scrollBy(double pixels) {
  if (!m_view) return;
  if (pixels < 0.0 && m_follower) m_follower->letGo();
  const double first = m_view->property("originY").toDouble();
  const double last = first + m_view->property("contentHeight").toDouble() +
                      m_view->property("bottomMargin").toDouble() - m_view->height();
  const double y = m_view->property("contentY").toDouble() + pixels;
  m_view->setProperty("contentY", std::round(std::max(first, std::min(y, last))));
}

/// Scrolls the faster the farther the pointer is beyond the edge.
void SelectionArea::scrollAtEdge() {
  const double beyond = m_mouse.y() < kScrollEdge ? m_mouse.y() - kScrollEdge
                                                  : m_mouse.y() - (height() - kScrollEdge);
  scrollBy(std::clamp(0.5 * beyond, -kMaxScroll, kMaxScroll));
  extend();
}

void SelectionArea::mouseReleaseEvent(QMouseEvent* event) {
  m_mouse = event->position();
  const bool isClick = !m_isDragging && !m_wasExtended;
  endDrag();
  if (isClick) openLink();
  QClipboard* clipboard = QGuiApplication::clipboard();
  if (!clipboard->supportsSelection() || !m_selection || m_selection->isEmpty()) return;
  clipboard->setText(m_selection->plainText(), QClipboard::Selection);
}

void SelectionArea::mouseUngrabEvent() {
  endDrag();
}

void SelectionArea::endDrag() {
  m_isDragging = false;
  m_scrolling.stop();
  setKeepMouseGrab(false);
}

void SelectionArea::schedule() {
  const bool isNothing =
      !hasCaret() && m_caretRect.isEmpty() && (!m_selection || m_selection->isEmpty());
  if (isNothing && m_marked.isEmpty() && m_formulas.isEmpty()) return;
  m_numRechecks = 2;
  polish();
}

void SelectionArea::updatePolish() {
  QList<QPointer<QQuickItem>> marked;
  QList<QRectF> formulas;
  const auto* content = m_view ? m_view->property("contentItem").value<QQuickItem*>() : nullptr;
  if (content && m_timeline && m_selection && !m_selection->isEmpty()) {
    for (QQuickItem* child : content->childItems()) {
      const QVariant row = child->property("index");
      // Items that the list keeps for later have a stale index.
      if (row.isValid() && rowItem(m_view, row.toInt()) == child) showIn(child, marked, formulas);
    }
  }
  for (const QPointer<QQuickItem>& text : std::as_const(m_marked)) {
    if (text && !marked.contains(text)) QMetaObject::invokeMethod(text, "deselect");
  }
  m_marked = marked;
  const QRectF caret = caretRect();
  if (formulas != m_formulas || caret != m_caretRect) {
    m_formulas = formulas;
    m_caretRect = caret;
    update();
  }
  if (--m_numRechecks > 0) {
    QMetaObject::invokeMethod(
        this, [this] { polish(); }, Qt::QueuedConnection);
  }
}

/// Where the caret is to be drawn, while the keyboard is here; empty: nowhere.
QRectF SelectionArea::caretRect() {
  if (!hasCaret() || !hasActiveFocus()) return {};
  const CaretLines lines(m_view, *m_timeline);
  QQuickItem* item = lines.itemOf(m_selection->caret());
  if (!item) return {};
  const QRectF rect = lines.rectOf(m_selection->caret());
  return shownRect(item, {std::round(rect.x()), rect.y(), kCaretWidth, rect.height()}, this);
}

void SelectionArea::showIn(QQuickItem* row, QList<QPointer<QQuickItem>>& marked,
                           QList<QRectF>& formulas) {
  const int index = row->property("index").toInt();
  const auto [message, block] = m_timeline->placeOfRow(index);
  const auto span = m_selection->spanIn(m_timeline, message, block);
  if (!span || !hasText(kindOfRow(*m_timeline, index))) return;
  for (const RowText& text : RowText::of(row)) {
    const auto [from, to] = text.inDocument(*span);
    if (from >= to) continue;
    QQuickItem* item = text.item();
    if (text.isFormula()) {
      const QList<MarkdownBlock> blocks = m_timeline->selectableBlocks(message);
      if (span->begin >= selectableText(blocks.value(block)).size()) continue;
      formulas.append(shownRect(item, item->boundingRect().adjusted(-2, -1, 2, 1), this));
      continue;
    }
    marked.append(item);
    const bool isShown = item->property("selectionStart").toInt() == from &&
                         item->property("selectionEnd").toInt() == to;
    if (!isShown) QMetaObject::invokeMethod(item, "select", Q_ARG(int, from), Q_ARG(int, to));
  }
}

/// A new root each time, as in FindMarks::updatePaintNode().
QSGNode* SelectionArea::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  delete old;
  auto* root = new QSGNode;
  const auto paint = [&](const QRectF& rect, const QColor& color) {
    QSGRectangleNode* node = window()->createRectangleNode();
    node->setRect(rect);
    node->setColor(color);
    root->appendChildNode(node);
  };
  for (const QRectF& rect : std::as_const(m_formulas)) paint(rect, m_color);
  if (!m_caretRect.isEmpty()) paint(m_caretRect, m_caretColor);
  return root;
}

}  // namespace quire
