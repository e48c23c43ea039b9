#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include "app/store/records.h"

namespace quire {

/// True for Han, kana, Hangul and Bopomofo: written without spaces, or with word endings attached,
/// so that words are found inside a run of them.
bool isCjk(char32_t character);

/// The text as the full-text index gets it: runs of CJK become overlapping pairs of characters, and
/// the last character alone, so that "中国人" is "中国 国人 人". A word of two characters is then a
/// token, a longer one a phrase of pairs, a single one the beginning of a token. A last word, which
/// nobody can type, names the chat; words of that kind before it are the beginnings of two letters
/// that words in the text have, and its CJK characters, once each: to gather all words that begin
/// so would take a question a hundred times as long.
QString toIndexText(const QString& text, RecordId chatId = 0);

/// One word of a question, or a quoted phrase.
struct SearchTerm {
  QString phrase;         ///< In the index's words, separated by spaces.
  bool isPrefix = false;  ///< The last one may go on.
  QString beginning;      ///< What the index has for all of it, in messages; may be empty.
  QString needle;         ///< As it stands in a folded text (fold_text.h).
};

/// The terms of what the user typed; a message must have all of them. While `typing`, the last word
/// may be unfinished. None: there is nothing to look for.
QList<SearchTerm> parseSearch(const QString& text, bool typing);

/// The question in FTS5's language: to messages, within one chat unless it is 0; to titles.
QString toMatch(const QList<SearchTerm>& terms, RecordId chatId);
QString toTitleMatch(const QList<SearchTerm>& terms);

}  // namespace quire
