#pragma once

#include <QColor>
#include <QString>
#include <QSyntaxHighlighter>

#include "app/richtext/code_language.h"

namespace quire {

struct CodeColors {
  QColor keyword;
  QColor call;
  QColor literal;
  QColor comment;

  bool operator==(const CodeColors&) const = default;
};

/// Colours code by its language's table. A line at a time, as lines change.
class CodeHighlighter : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

  /// Colours everything anew where they or the language differ from before.
  void setStyle(const QString& language, const CodeColors& colors);

 protected:
  void highlightBlock(const QString& line) override;

 private:
  const CodeLanguage* m_language = &codeLanguage(QString());
  CodeColors m_colors;
};

}  // namespace quire
