#include "tests/ui/gallery/text_check.h"

#include <QQuickItem>

#include <algorithm>
#include <optional>

#include "tests/ui/gallery/pseudo_language.h"
#include "tests/ui/gallery/seen_items.h"

namespace quire::gallery {
namespace {

/// Half a pixel is no overlap: text is laid out in fractions.
constexpr double kSlack = 1.5;

/// The components whose texts are the user's own words, which may be of any length; and by
/// objectName those that show such words among others.
const char* const kElidingComponents[] = {
    "ChatRowContent",   "FolderRow",   "PaneTab",         "QuickOpenRow", "AttachmentChip",
    "ModelRow",         "BlockKey",    "FolderChip",      "PromptEntry",  "UndoToast",
    "AnswerColumnView", "PersonaTile", "AttachmentSheet", "StoreViewChat"};
const char* const kElidingNames[] = {"userWords", "modelChip", "ownModelChip", "personaChip"};

/// A hint in an empty field, which the field's name tells whole; in the made-up languages, whose
/// short texts are longer than any real one.
bool isLongHint(const QQuickItem& text) {
  return text.inherits("QQuickPlaceholderText") && !pseudoLanguage().isEmpty();
}

bool mayElide(const QQuickItem& text) {
  if (isLongHint(text)) return true;
  for (const QQuickItem* at = &text; at; at = at->parentItem()) {
    for (const char* name : kElidingNames)
      if (at->objectName() == QLatin1String(name)) return true;
    const QString component = componentOf(*at);
    for (const char* name : kElidingComponents)
      if (component == QLatin1String(name)) return true;
  }
  return false;
}

/// Something above it can be scrolled sideways: what reaches out of it can be seen all the same.
bool scrollsSideways(const QQuickItem& item) {
  for (const QQuickItem* at = item.parentItem(); at; at = at->parentItem()) {
    if (!at->inherits("QQuickFlickable")) continue;
    if (at->property("contentWidth").toDouble() > at->width() + kSlack) return true;
  }
  return false;
}

QString faultOf(const QQuickItem& text, const QRectF& window) {
  const std::optional<QRectF> view = viewOf(text, window);
  if (!view || scrollsSideways(text)) return {};
  if (text.property("truncated").toBool()) {
    return mayElide(text) ? QString() : QStringLiteral("is cut short");
  }
  // A text without an ellipsis draws over its edge.
  const bool isFree = text.property("elide").toInt() == Qt::ElideNone;
  if (isFree && text.property("contentWidth").toDouble() > text.width() + kSlack)
    return QStringLiteral("is wider than its place");
  const QRectF letters = lettersOf(text);
  if (letters.left() < view->left() - kSlack || letters.right() > view->right() + kSlack)
    return QStringLiteral("reaches over the edge of what holds it");
  return {};
}

}  // namespace

QStringList findCutTexts(const QQuickWindow& window) {
  const QRectF edges(0.0, 0.0, window.width(), window.height());
  QStringList faults;
  QList<const QQuickItem*> items = {window.contentItem()};
  while (!items.isEmpty()) {
    const QQuickItem& at = *items.takeLast();
    for (const QQuickItem* child : at.childItems()) items.append(child);
    if (!isText(at) || !isSeen(at)) continue;
    const QString fault = faultOf(at, edges);
    if (fault.isEmpty()) continue;
    faults.append(QStringLiteral("\"%1\" %2 (%3)")
                      .arg(at.property("text").toString().left(60), fault, placeOf(at)));
  }
  faults.removeDuplicates();
  return faults;
}

}  // namespace quire::gallery
