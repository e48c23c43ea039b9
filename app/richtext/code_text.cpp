#include "app/richtext/code_text.h"

#include <QTextBlockFormat>
#include <QTextCursor>
#include <QTextDocument>

#include "app/richtext/code_highlighter.h"

namespace quire {

CodeText::CodeText(QObject* parent) : QObject(parent) {
  connect(this, &CodeText::styleChanged, this, &CodeText::restyle);
}

QQuickTextDocument* CodeText::document() const {
  return m_document;
}

void CodeText::componentComplete() {
  m_isReady = true;
  begin();
}

void CodeText::setDocument(QQuickTextDocument* document) {
  if (document == m_document) return;
  m_document = document;
  delete m_highlighter;
  begin();
  emit changed();
}

void CodeText::begin() {
  if (!m_document || !m_isReady) return;
  m_document->textDocument()->setUndoRedoEnabled(false);
  m_highlighter = new CodeHighlighter(m_document->textDocument());
  m_shown.clear();
  restyle();
  update();
}

void CodeText::setCode(const QString& code) {
  if (code == m_code) return;
  m_code = code;
  update();
  emit changed();
}

void CodeText::restyle() {
  if (!m_highlighter) return;
  QTextCursor cursor(m_document->textDocument());
  cursor.select(QTextCursor::Document);
  QTextBlockFormat format;
  if (m_lineHeight > 0.0) format.setLineHeight(m_lineHeight, QTextBlockFormat::FixedHeight);
  cursor.setBlockFormat(format);
  m_highlighter->setStyle(m_language,
                          {m_keywordColor, m_callColor, m_literalColor, m_commentColor});
}

/// Code that only grew is added to, so that a selection stays and its lines keep their layout.
void CodeText::update() {
  if (!m_highlighter) return;
  const bool grows = m_code.startsWith(m_shown);
  QTextCursor cursor(m_document->textDocument());
  cursor.beginEditBlock();
  if (grows) {
    cursor.movePosition(QTextCursor::End);
  } else {
    cursor.select(QTextCursor::Document);
    cursor.removeSelectedText();
  }
  cursor.insertText(grows ? m_code.mid(m_shown.size())
                          : m_code);  // New lines take over the block's format.
  cursor.endEditBlock();
  m_shown = m_code;
}

}  // namespace quire
