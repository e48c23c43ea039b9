#pragma once

#include <QSet>
#include <QString>
#include <QStringList>

namespace quire {

/// What the highlighter knows of a language: its words and how comments and strings are marked.
struct CodeLanguage {
  QSet<QString> keywords;
  QStringList lineComments;  ///< What begins one, such as "//".
  QString commentBegin;      ///< Of a comment that may go over lines; empty: there is none.
  QString commentEnd;
  QString quotes = QStringLiteral("\"'");  ///< Characters that begin and end a string.
  QStringList longQuotes;                  ///< Marks of strings that may go over lines.
  bool ignoresCase = false;                ///< Of keywords.
  bool hasTags = false;                    ///< Names behind < and </ are keywords: markup.
  bool isPlain = false;                    ///< Not coloured at all.
  QString wordLetters;                     ///< That words have beside letters, digits and _.
};

/// The name in what follows a fence: "js" of "js{1,3} title".
QString codeLanguageName(QStringView info);
/// The language of that name or alias ("py", "c++"), or one that suits most.
const CodeLanguage& codeLanguage(const QString& name);

}  // namespace quire
