#include "app/richtext/markup_text.h"

#include <QTextBlockFormat>
#include <QTextCursor>
#include <QTextDocument>

#include <algorithm>

namespace quire {
namespace {

QString unescape(QStringView text) {
  QString plain = text.toString();
  plain.replace(QLatin1String("&lt;"), QLatin1String("<"))
      .replace(QLatin1String("&gt;"), QLatin1String(">"))
      .replace(QLatin1String("&quot;"), QLatin1String("\""))
      .replace(QLatin1String("&amp;"), QLatin1String("&"));
  return plain;
}

/// Applies one tag, such as "b", "/b" or a href="...", to the style of the following text.
void applyTag(QStringView tag, MarkupRun& style) {
  const bool opens = !tag.startsWith(u'/');
  const QStringView name = opens ? tag : tag.mid(1);
  if (name == u"b") style.bold = opens;
  if (name == u"i") style.italic = opens;
  if (name == u"s") style.struck = opens;
  if (name == u"code") style.code = opens;
  if (name == u"a") style.link.clear();
  if (name.startsWith(u"a href=\"")) style.link = unescape(name.mid(8).chopped(1));
}

void appendRun(QList<MarkupRun>& runs, MarkupRun style, const QString& text) {
  if (text.isEmpty()) return;
  style.text = text;
  runs.append(style);
}

bool hasHangul(const QString& text) {
  return std::any_of(text.begin(), text.end(),
                     [](QChar c) { return c.script() == QChar::Script_Hangul; });
}

}  // namespace

QList<MarkupRun> parseMarkup(QStringView markup) {
  QList<MarkupRun> runs;
  MarkupRun style;
  qsizetype at = 0;
  while (at < markup.size()) {
    const qsizetype tag = markup.indexOf(u'<', at);
    const qsizetype end = tag < 0 ? -1 : markup.indexOf(u'>', tag);
    appendRun(runs, style, unescape(markup.mid(at, tag < 0 ? -1 : tag - at)));
    if (end < 0) break;
    const QStringView name = markup.mid(tag + 1, end - tag - 1);
    if (name == u"br/") {
      appendRun(runs, style, QString(QChar(QChar::LineSeparator)));
    } else {
      applyTag(name, style);
    }
    at = end + 1;
  }
  return runs;
}

MarkupText::MarkupText(QObject* parent) : QObject(parent) {
  connect(this, &MarkupText::styleChanged, this, &MarkupText::rebuild);
}

QTextDocument* MarkupText::textDocument() const {
  return m_document && m_isReady ? m_document->textDocument() : nullptr;
}

void MarkupText::setDocument(QQuickTextDocument* document) {
  if (document == m_document) return;
  m_document = document;
  if (QTextDocument* text = textDocument()) text->setUndoRedoEnabled(false);
  rebuild();
  emit changed();
}

void MarkupText::componentComplete() {
  m_isReady = true;
  if (m_document) m_document->textDocument()->setUndoRedoEnabled(false);
  rebuild();
}

void MarkupText::setMarkup(const QString& markup) {
  if (markup == m_markup) return;
  m_markup = markup;
  update();
  emit changed();
}

QTextCharFormat MarkupText::formatOf(const MarkupRun& run) const {
  QTextCharFormat format;
  if (run.bold) format.setFontWeight(QFont::DemiBold);
  if (run.italic && hasHangul(run.text)) {
    format.setFontWeight(QFont::DemiBold);  // Slanted Hangul is hard to read.
  } else if (run.italic) {
    format.setFontItalic(true);
  }
  if (run.struck) format.setFontStrikeOut(true);
  if (run.code) {
    format.setFontFamilies({m_codeFamily});
    if (m_codeSize > 0) format.setProperty(QTextFormat::FontPixelSize, m_codeSize);
    format.setBackground(m_codeBackground);
  }
  if (!run.link.isEmpty()) {
    format.setAnchor(true);
    format.setAnchorHref(run.link);
    format.setForeground(m_linkColor);
    format.setFontUnderline(true);
  }
  return format;
}

/// Keeps the equal runs, and the beginning of the first run that has only grown.
void MarkupText::update() {
  QTextDocument* text = textDocument();
  if (!text) return;
  const QList<MarkupRun> runs = parseMarkup(m_markup);
  auto [shown, wanted] =
      std::mismatch(m_shown.cbegin(), m_shown.cend(), runs.cbegin(), runs.cend());
  qsizetype kept = 0;
  for (auto run = m_shown.cbegin(); run != shown; ++run) kept += run->text.size();
  qsizetype grown = 0;
  if (shown != m_shown.cend() && wanted != runs.cend()) {
    MarkupRun before = *shown;
    before.text = wanted->text;
    if (before == *wanted && wanted->text.startsWith(shown->text)) grown = shown->text.size();
  }
  QTextCursor cursor(text);
  cursor.beginEditBlock();
  cursor.setPosition(static_cast<int>(kept + grown));
  cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
  cursor.removeSelectedText();
  for (; wanted != runs.cend(); ++wanted, grown = 0) {
    cursor.insertText(wanted->text.mid(grown), formatOf(*wanted));
  }
  cursor.endEditBlock();
  m_shown = runs;
}

void MarkupText::rebuild() {
  QTextDocument* text = textDocument();
  if (!text) return;
  m_shown.clear();
  QTextCursor cursor(text);
  cursor.beginEditBlock();
  cursor.select(QTextCursor::Document);
  cursor.removeSelectedText();
  QTextBlockFormat block;
  if (m_lineHeight > 0.0) block.setLineHeight(m_lineHeight, QTextBlockFormat::FixedHeight);
  block.setAlignment(m_alignment == 0 ? Qt::AlignLeft : Qt::Alignment(m_alignment));
  cursor.setBlockFormat(block);
  cursor.endEditBlock();
  update();
}

}  // namespace quire
