#include "app/store/search/fold_text.h"

#include "app/store/search/search_text.h"

namespace quire {
namespace {

/// The letter without its accents. Hangul syllables, which also have decompositions, stay whole.
char32_t withoutAccents(char32_t character) {
  constexpr char32_t kFirstSyllable = 0xac00;
  constexpr char32_t kLastSyllable = 0xd7a3;
  if (character < 0xc0) return character;
  if (character >= kFirstSyllable && character <= kLastSyllable) return character;
  for (int step = 0; step < 4; ++step) {
    const QString parts = QChar::decomposition(character);
    if (parts.isEmpty()) break;
    character = codePointAt(parts, 0).value;
  }
  return character;
}

bool isWordCharacter(QStringView text, qsizetype index) {
  if (index < 0 || index >= text.size()) return false;
  const QChar unit = text[index];
  if (unit == u' ') return false;
  if (unit.isLowSurrogate() && index > 0) --index;
  return !isCjk(codePointAt(text, index).value);
}

void appendFolded(FoldedText& folded, char32_t character, qsizetype origin) {
  const char32_t letter = QChar::toCaseFolded(withoutAccents(character));
  if (QChar::requiresSurrogates(letter)) {
    folded.text += QChar::highSurrogate(letter);
    folded.text += QChar::lowSurrogate(letter);
    folded.origins.append(origin);
  } else {
    folded.text += QChar(static_cast<char16_t>(letter));
  }
  folded.origins.append(origin);
}

}  // namespace

FoldedText foldText(QStringView text) {
  FoldedText folded;
  folded.text.reserve(text.size());
  folded.origins.reserve(text.size());
  bool afterGap = true;
  for (qsizetype i = 0; i < text.size();) {
    const CodePoint point = codePointAt(text, i);
    if (QChar::isLetterOrNumber(point.value)) {
      appendFolded(folded, point.value, i);
      afterGap = false;
    } else if (!QChar::isMark(point.value) && !afterGap) {
      folded.text += u' ';
      folded.origins.append(i);
      afterGap = true;
    }
    i += point.units;
  }
  return folded;
}

qsizetype findFolded(const FoldedText& folded, const QString& needle, bool isPrefix,
                     qsizetype from) {
  if (needle.isEmpty()) return -1;
  const QStringView text = folded.text;
  const bool startsWord = isWordCharacter(needle, 0);
  const bool endsWord = !isPrefix && isWordCharacter(needle, needle.size() - 1);
  for (qsizetype at = text.indexOf(needle, from); at >= 0; at = text.indexOf(needle, at + 1)) {
    if (startsWord && isWordCharacter(text, at - 1)) continue;
    if (endsWord && isWordCharacter(text, at + needle.size())) continue;
    return at;
  }
  return -1;
}

}  // namespace quire
