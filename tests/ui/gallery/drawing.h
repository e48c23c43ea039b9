#pragma once

#include <QString>
#include <QStringList>

namespace quire::gallery {

/// What a run of the program draws.
struct Order {
  QString folder;
  QStringList names;  ///< "chat/answer"; empty: all.
  /// Nothing is drawn: it is checked that the window from right to left is the mirror image.
  bool mirrors = false;
  bool isSmall = false;  ///< In a window of 1,024 x 640 instead of the state's size.
  /// None: the texts are checked, and nothing is drawn.
  QStringList themes = {QStringLiteral("light"), QStringLiteral("dark")};
  QStringList languages = {QStringLiteral("en"), QStringLiteral("ko")};
  QStringList percents = {QStringLiteral("100"), QStringLiteral("200")};
};

/// "chat-answer-light-en-100.png"
QString fileNameOf(const QString& name, const QString& theme, const QString& language,
                   const QString& percent);
bool isWanted(const Order& order, const QString& name);

/// Draws in this process, whose environment has one language and one scale: those of the order.
/// Prints a line for each picture and each fault. The number of faults.
int draw(const Order& order);

/// Writes the page that shows all pictures of the folder.
bool writeSheet(const Order& order);

}  // namespace quire::gallery
