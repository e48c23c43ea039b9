#pragma once

#include <QList>
#include <QSet>
#include <QString>
#include <QStringList>

namespace quire {

/// What the highlighter knows of a language: its keywords and the syntax of comments and strings.
struct CodeLanguage {
  QSet<QString> keywords;
  QStringList lineComments;  ///< What begins a comment up to the end of the line, such as "//".
  QString commentBegin;      ///< Of a comment over several lines; empty: there is none.
  QString commentEnd;
  QString quotes = QStringLiteral("\"'");  ///< Characters that begin and end a string.
  QStringList longQuotes;                  ///< Marks of strings over several lines.
  bool ignoresCase = false;                ///< Of keywords.
  bool hasTags = false;                    ///< Markup: names after < and </ are keywords.
  bool isPlain = false;                    ///< Nothing is coloured.
  QString wordLetters;                     ///< Part of words, beside letters, digits and _.
};

/// The language in the info string of a fence: "js" of "js{1,3} title".
QString codeLanguageName(QStringView info);
/// The language of a name or alias ("py", "c++"); a generic one for unknown names.
const CodeLanguage& codeLanguage(const QString& name);

enum class CodeToken { Keyword, Call, Literal, Comment };

struct CodeSpan {
  qsizetype begin = 0;
  qsizetype length = 0;
  CodeToken token = CodeToken::Keyword;

  bool operator==(const CodeSpan&) const = default;
};

/// The state at the end of a line: 0, in a comment (1), or in the longQuotes of index n - 2.
using CodeState = int;

/// The coloured spans of a line that begins in `state`, which is updated to the state at its end.
/// Recognises words, comments, strings, numbers and calls, without a grammar. Time is linear in the
/// length of the line.
QList<CodeSpan> lexCode(QStringView line, const CodeLanguage& language, CodeState& state);

}  // namespace quire
