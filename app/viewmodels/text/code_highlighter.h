#pragma once

#include <QColor>
#include <QString>
#include <QSyntaxHighlighter>

namespace quire {

struct CodeColors {
  QColor keyword;
  QColor call;
  QColor literal;
  QColor comment;
};

/// Colours what nearly all languages share: keywords, calls, strings, numbers and comments. A line
/// at a time, as lines change; it knows no grammar.
class CodeHighlighter : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

  /// Colours everything anew where they or the language differ from before.
  void setStyle(const QString& language, const CodeColors& colors);

 protected:
  void highlightBlock(const QString& line) override;

 private:
  qsizetype colorBlockComment(const QString& line);
  qsizetype commentStart(const QString& line) const;

  bool m_isPlain = false;
  bool m_hashComments = true;
  bool m_slashComments = true;
  CodeColors m_colors;
};

}  // namespace quire
