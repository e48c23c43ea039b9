#include "app/chat/find_text.h"

#include "app/store/search/fold_text.h"

namespace quire {
namespace {

bool isIgnored(char32_t c) {
  return c == 0xad || c == 0x200b || c == 0x2060 || c == 0xfeff;
}

/// Whether a character belongs to the one before it: a combining mark, or a vowel or final
/// consonant of a decomposed Hangul syllable.
bool joinsPrevious(char32_t c) {
  if (c < 0x300) return false;
  return (c >= 0x1160 && c <= 0x11ff) || QChar::isMark(c);
}

/// Whether a character is its own case folding and has one form only: kana, CJK ideographs and
/// Hangul syllables.
bool isPlain(char32_t c) {
  return (c >= 0x3041 && c <= 0x30ff) || (c >= 0x3400 && c <= 0x9fff) ||
         (c >= 0xac00 && c <= 0xd7a3);
}

/// Whether a letter folds to several: sharp s and the ligatures. Qt's case folding keeps these.
bool expands(char32_t c) {
  return c == 0xdf || c == 0x1e9e || (c >= 0xfb00 && c <= 0xfb17);
}

QString foldedCluster(QStringView cluster) {
  QString text = cluster.toString().normalized(QString::NormalizationForm_C);
  if (expands(text.front().unicode())) text = text.toLower().toUpper();
  return text.toCaseFolded().normalized(QString::NormalizationForm_C);
}

/// `origins`: for each unit of the result its cluster's beginning in `text`, and then `text`'s
/// size; may be null.
QString fold(QStringView text, QList<qsizetype>* origins) {
  QString folded;
  folded.reserve(text.size());
  if (origins) origins->reserve(text.size() + 1);
  for (qsizetype at = 0; at < text.size();) {
    const CodePoint first = codePointAt(text, at);
    qsizetype end = at + first.units;
    while (end < text.size()) {
      const CodePoint next = codePointAt(text, end);
      if (!joinsPrevious(next.value)) break;
      end += next.units;
    }
    const bool isSingle = end == at + first.units;
    if (isIgnored(first.value)) {
      if (!isSingle) folded += foldedCluster(text.sliced(at + 1, end - at - 1));
    } else if (QChar::isSpace(first.value)) {
      folded += u' ';
    } else if (isSingle && (first.value < 0x80 || isPlain(first.value))) {
      folded += text[at].toCaseFolded();
    } else {
      folded += foldedCluster(text.sliced(at, end - at));
    }
    if (origins) origins->resize(folded.size(), at);
    at = end;
  }
  if (origins) origins->append(text.size());
  return folded;
}

}  // namespace

FindPattern::FindPattern(const QString& query) {
  if (!query.trimmed().isEmpty()) m_folded = fold(QStringView(query).left(kMaxLength), nullptr);
}

QList<TextSpan> FindPattern::find(QStringView text) const {
  QList<TextSpan> spans;
  if (isEmpty() || text.isEmpty()) return spans;
  QList<qsizetype> origins;
  const QString folded = fold(text, &origins);
  qsizetype done = 0;  // In `text`: a letter may fold to several, which are one match.
  for (qsizetype at = folded.indexOf(m_folded); at >= 0;) {
    const qsizetype last = at + m_folded.size() - 1;
    qsizetype after = last + 1;
    while (origins[after] == origins[last]) ++after;
    if (origins[at] >= done) {
      spans.append({origins[at], origins[after] - origins[at]});
      done = origins[after];
    }
    at = folded.indexOf(m_folded, last + 1);
  }
  return spans;
}

}  // namespace quire
