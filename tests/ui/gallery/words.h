#pragma once

#include <QString>
#include <QStringList>

namespace quire::gallery {

/// What the people in the pictures write and read, in the language of the window.
struct Words {
  QString paging, pagingAnswer;  ///< Code, a list, a table, a quotation.
  QString child, childAnswer;
  QString sharing, sharingAnswer;
  QString haiku, haikuAnswer;
  QString trip, tripAnswer;
  QString letter, letterAnswer;
  QString roots, rootsAnswer;  ///< Reasoning, formulas and code.
  QString edited;
  QStringList titles;  ///< Ten chats of the sidebar.
  QString folderOne, folderTwo;
  QString found, notFound;  ///< For the search.
  QString longLine;
  QString table;  ///< A file that goes with a message, and what is asked of it.
  QString tableQuestion;
};

/// Of the language this process speaks (QLocale): Korean or English.
const Words& words();
bool isKorean();

}  // namespace quire::gallery
