#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include "app/store/records.h"

namespace quire {

/// True for Han, kana, Hangul and Bopomofo, which are written without spaces or with attached word
/// endings, so that a search finds words inside a run of them.
bool isCjk(char32_t character);

/// The text that is entered into the full-text index. Runs of CJK become overlapping pairs of
/// characters and the last character, so that "中国人" is "中国 国人 人": a word of two characters
/// is a token, a longer one a phrase of pairs, a single character the beginning of a token. For a
/// chat id, private-use characters mark further tokens: the first two letters of each word and each
/// CJK character, once each, and last the chat's id. Without these, a search for the beginning of a
/// word would take a hundred times as long.
QString toIndexText(const QString& text, RecordId chatId = 0);

/// One word of a question, or a quoted phrase.
struct SearchTerm {
  QString phrase;         ///< Tokens of the index, separated by spaces.
  bool isPrefix = false;  ///< The last token may continue.
  QString beginning;      ///< The marked token that stands for the whole term; may be empty.
  QString needle;         ///< The term in a folded text (fold_text.h).
};

/// The terms of what the user typed; a message must match all of them. While `typing`, the last
/// word may be unfinished. Empty if the text holds no word.
QList<SearchTerm> parseSearch(const QString& text, bool typing);

/// The query in FTS5's syntax for messages (of one chat unless chatId is 0) and for titles.
QString toMatch(const QList<SearchTerm>& terms, RecordId chatId);
QString toTitleMatch(const QList<SearchTerm>& terms);

}  // namespace quire
