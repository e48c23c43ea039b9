#include "app/richtext/code_highlighter.h"

#include "app/richtext/code_lexer.h"

#include <algorithm>

namespace quire {

void CodeHighlighter::setStyle(const QString& language, const CodeColors& colors) {
  const CodeLanguage* wanted = &codeLanguage(language);
  if (wanted == m_language && colors == m_colors) return;
  m_language = wanted;
  m_colors = colors;
  rehighlight();
}

void CodeHighlighter::highlightBlock(const QString& line) {
  CodeState state = std::max(0, previousBlockState());  // -1: there is no line before.
  for (const CodeSpan& span : lexCode(line, *m_language, state)) {
    const QColor& color = span.token == CodeToken::Keyword   ? m_colors.keyword
                          : span.token == CodeToken::Call    ? m_colors.call
                          : span.token == CodeToken::Literal ? m_colors.literal
                                                             : m_colors.comment;
    setFormat(static_cast<int>(span.begin), static_cast<int>(span.length), color);
  }
  setCurrentBlockState(state);
}

}  // namespace quire
