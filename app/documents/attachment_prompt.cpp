#include "app/documents/attachment_prompt.h"

#include <algorithm>

namespace quire {
namespace {

/// Longer than the longest run of backticks in the text.
QString fenceFor(const QString& text) {
  qsizetype longest = 2;
  qsizetype run = 0;
  for (const QChar letter : text) {
    run = letter == u'`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return QString(longest + 1, u'`');
}

/// The file's ending, as the word after a fence; only plain letters and digits.
QString languageOf(const QString& name) {
  const QString ending = name.section(u'.', -1).toLower();
  const bool isWord = ending != name.toLower() && ending.size() <= 12 &&
                      std::all_of(ending.cbegin(), ending.cend(), [](QChar letter) {
                        return letter.unicode() < 128 && letter.isLetterOrNumber();
                      });
  return isWord && ending != QLatin1String("pdf") ? ending : QString();
}

}  // namespace

QString attachmentPrompt(const QList<AttachmentRecord>& files, const QString& message) {
  if (files.isEmpty()) return message;
  qsizetype length = message.size();
  for (const AttachmentRecord& file : files) length += file.text.size() + 600;
  QString prompt;
  prompt.reserve(length);
  for (const AttachmentRecord& file : files) {
    const QString fence = fenceFor(file.text);
    prompt += QStringLiteral("File: ") + file.name.simplified() + u'\n';
    prompt += fence + languageOf(file.name) + u'\n' + file.text;
    if (!file.text.endsWith(u'\n')) prompt += u'\n';
    prompt += fence + QStringLiteral("\n\n");
  }
  if (message.isEmpty()) prompt.chop(2);  // The files alone.
  return prompt + message;
}

}  // namespace quire
