#include "app/commands/fuzzy_match.h"

namespace quire {
namespace {

constexpr int kLetter = 1;
constexpr int kNeighbour = 4;
constexpr int kWordStart = 6;
constexpr int kTextStart = 4;

bool beginsWord(const QString& text, int at) {
  return at == 0 || !text[at - 1].isLetterOrNumber();
}

/// Where `letters` come in the text, searched from `from` on, each as early as it can be.
QList<int> findFrom(const QString& letters, const QString& text, int from) {
  QList<int> positions;
  int at = from;
  for (const QChar letter : letters) {
    while (at < text.size() && text[at].toCaseFolded() != letter) ++at;
    if (at == text.size()) return {};
    positions.append(at++);
  }
  return positions;
}

int scoreOf(const QList<int>& positions, const QString& text) {
  int score = positions.first() == 0 ? kTextStart : 0;
  for (qsizetype i = 0; i < positions.size(); ++i) {
    score += kLetter;
    if (beginsWord(text, positions[i])) score += kWordStart;
    if (i > 0 && positions[i] == positions[i - 1] + 1) score += kNeighbour;
  }
  return score;
}

QString lettersOf(const QString& query) {
  QString letters;
  for (const QChar c : query) {
    if (!c.isSpace()) letters.append(c.toCaseFolded());
  }
  return letters;
}

}  // namespace

std::optional<FuzzyMatch> fuzzyMatch(const QString& query, const QString& text) {
  const QString letters = lettersOf(query);
  if (letters.isEmpty()) return FuzzyMatch{};
  std::optional<FuzzyMatch> best;
  for (int from = 0; from < text.size(); ++from) {
    if (text[from].toCaseFolded() != letters[0]) continue;
    const QList<int> positions = findFrom(letters, text, from);
    if (positions.isEmpty()) break;
    const int score = scoreOf(positions, text);
    if (!best || score > best->score) best = FuzzyMatch{score, positions};
  }
  return best;
}

QString markedText(const QString& text, const QList<int>& positions) {
  QString marked;
  qsizetype done = 0;
  for (qsizetype i = 0; i < positions.size();) {
    const qsizetype start = positions[i];
    qsizetype end = start;
    while (i < positions.size() && positions[i] == end) ++i, ++end;
    marked += text.mid(done, start - done).toHtmlEscaped() + QLatin1String("<b>") +
              text.mid(start, end - start).toHtmlEscaped() + QLatin1String("</b>");
    done = end;
  }
  return marked + text.mid(done).toHtmlEscaped();
}

}  // namespace quire
