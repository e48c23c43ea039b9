#pragma once

#include <QLatin1String>
#include <QString>

#include <algorithm>
#include <string>

#include "app/store/records.h"
#include "kernels/base/visible_text.h"

namespace quire {

// The longest names that the window lays out, in UTF-16 units. What users enter is shorter; a file
// or a store that another program wrote may hold megabytes, which would keep the window's thread
// busy at each start.
inline constexpr qsizetype kMaxNameLength = 200;  ///< Titles too.
inline constexpr qsizetype kMaxFileNameLength = 255;
inline constexpr qsizetype kMaxDescriptionLength = 1'000;
inline constexpr qsizetype kMaxErrorLength = 4'000;

/// At most the first `most` units, without half a character at the end.
inline QString cutText(const QString& text, qsizetype most) {
  if (text.size() <= most) return text;
  const bool isHalf = most > 0 && text[most - 1].isHighSurrogate();
  return text.left(isHalf ? most - 1 : most);
}

/// A name or title of a file, on one line and as visible_prose() shows it. It is cut before, so
/// that the work is bounded, and after, because a hidden character becomes several. A second call
/// changes nothing: names of a file and of a store are compared by it.
inline QString visibleName(const QString& name, qsizetype most = kMaxNameLength) {
  const QString line = cutText(name, most).simplified();
  // Spelling follows letters: alone, what is invisible would be an empty name.
  const bool hasLetters = std::any_of(line.begin(), line.end(), [](QChar c) {
    return c.isPrint() && !c.isSpace() && !c.isSurrogate() && !c.isMark();
  });
  const std::string text = line.toStdString();
  const std::string shown = hasLetters ? visible_prose(text) : visible_text(text);
  return cutText(QString::fromStdString(shown), most).trimmed();
}

/// The same for sentences, whose line ends and tabs stay.
inline QString visibleSentences(const QString& text, qsizetype most) {
  const QString cut = cutText(text, most).replace(QLatin1String("\r\n"), QLatin1String("\n"));
  return cutText(QString::fromStdString(visible_prose(cut.toStdString(), "\n\t")), most);
}

/// Calls `change(text, most, show)` for each name of a record; other records have none.
template <typename Record, typename Change>
void forEachName(Record&, const Change&) {}

template <typename Change>
void forEachName(PersonaRecord& persona, const Change& change) {
  change(persona.name, kMaxNameLength, visibleName);
  change(persona.icon, kMaxNameLength, visibleName);
  change(persona.description, kMaxDescriptionLength, visibleSentences);
}

template <typename Change>
void forEachName(FolderRecord& folder, const Change& change) {
  change(folder.name, kMaxNameLength, visibleName);
}

template <typename Change>
void forEachName(ChatRecord& chat, const Change& change) {
  change(chat.title, kMaxNameLength, visibleName);
}

template <typename Change>
void forEachName(MessageRecord& message, const Change& change) {
  change(message.modelName, kMaxNameLength, visibleName);
  change(message.error, kMaxErrorLength, visibleSentences);
}

template <typename Change>
void forEachName(AttachmentRecord& file, const Change& change) {
  change(file.name, kMaxFileNameLength, visibleName);
}

template <typename Change>
void forEachName(ComparedAnswer& answer, const Change& change) {
  change(answer.label, kMaxNameLength, visibleName);
}

/// For a record that was read from a row and is shown. record_rows.h keeps the row's names whole.
template <typename Record>
void cutNames(Record& record) {
  forEachName(record, [](QString& name, qsizetype most, auto) { name = cutText(name, most); });
}

/// For a record that was read from a file, which a stranger may have written.
template <typename Record>
void showNames(Record& record) {
  forEachName(record, [](QString& name, qsizetype most, auto show) { name = show(name, most); });
}

/// A record as an export of it brings it back, by which the two are compared.
template <typename Record>
Record withShownNames(Record record) {
  showNames(record);
  return record;
}

}  // namespace quire
