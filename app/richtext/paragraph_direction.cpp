#include "app/richtext/paragraph_direction.h"

#include <QQuickTextDocument>
#include <QTextDocument>
#include <QTextOption>

#include "app/richtext/text_direction.h"

namespace quire {

void ParagraphDirection::setField(QQuickItem* field) {
  if (field == m_field) return;
  if (m_field) m_field->disconnect(this);
  m_field = field;
  // QQuickTextEdit has no public C++ header: its signals and slots are named.
  if (m_field) connect(m_field, SIGNAL(textChanged()), this, SLOT(apply()));
  if (m_field) apply();
  emit fieldChanged();
}

/// The field sets its document's direction at each change of the text, before it announces that.
void ParagraphDirection::apply() {
  auto* const quick = m_field->property("textDocument").value<QQuickTextDocument*>();
  QTextDocument* const document = quick ? quick->textDocument() : nullptr;
  if (!document || runsLeftToRight(document->toRawText())) return;
  QTextOption option = document->defaultTextOption();
  if (option.textDirection() == Qt::LayoutDirectionAuto) return;
  option.setTextDirection(Qt::LayoutDirectionAuto);
  document->setDefaultTextOption(option);
  QMetaObject::invokeMethod(m_field, "moveCursorDelegate");
}

}  // namespace quire
