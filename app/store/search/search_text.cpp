#include "app/store/search/search_text.h"

#include <QSet>

#include "app/store/search/fold_text.h"

namespace quire {
namespace {

/// Precedes a chat's id: a private-use character, which unicode61 treats as a letter.
constexpr QChar kChatMark(0xe000);
constexpr QChar kBeginningMark(0xe001);  ///< Precedes the beginning of a word.
constexpr qsizetype kMaxTerms = 16;
constexpr qsizetype kMaxQuestion = 500;

struct Run {
  QStringView text;
  bool cjk = false;
};

/// Splits the text into runs of CJK and other runs; runs without a letter or number are left out.
QList<Run> splitRuns(QStringView text) {
  QList<Run> runs;
  qsizetype begin = 0;
  bool cjk = false;
  bool hasWord = false;
  const auto close = [&](qsizetype end) {
    if (hasWord) runs.append({text.sliced(begin, end - begin), cjk});
    begin = end;
    hasWord = false;
  };
  for (qsizetype i = 0; i < text.size();) {
    const CodePoint point = codePointAt(text, i);
    const bool isWord = QChar::isLetterOrNumber(point.value);
    const bool nowCjk = isCjk(point.value);
    if (nowCjk != cjk) close(i);
    cjk = nowCjk;
    hasWord = hasWord || isWord || nowCjk;
    i += point.units;
  }
  close(text.size());
  return runs;
}

/// `closed` appends the last character too, as in the index.
void appendPairs(QString& out, QStringView run, bool closed) {
  qsizetype last = 0;
  for (qsizetype i = 0; i < run.size();) {
    const int units = codePointAt(run, i).units;
    const qsizetype next = i + units;
    if (next < run.size()) {
      const qsizetype end = next + codePointAt(run, next).units;
      out += run.sliced(i, end - i);
      out += u' ';
    }
    last = i;
    i = next;
  }
  if (last > 0 && !closed) return;
  out += run.sliced(last);
  out += u' ';
}

bool isSingle(QStringView run) {
  return codePointAt(run, 0).units == run.size();
}

/// The first two letters; empty if the word has fewer.
QStringView firstTwo(QStringView word) {
  if (word.isEmpty()) return {};
  const int first = codePointAt(word, 0).units;
  if (first >= word.size()) return {};
  return word.first(first + codePointAt(word, first).units);
}

/// The marked token for words that begin with these two letters, or for a single CJK character;
/// empty for other runs.
QString beginningOf(const Run& run) {
  if (run.cjk) return isSingle(run.text) ? kBeginningMark + run.text.toString() : QString();
  const QString word = foldText(run.text).text.trimmed();
  const QStringView two = firstTwo(word);
  return two.isEmpty() || two.size() < word.size() ? QString() : kBeginningMark + two.toString();
}

void appendBeginnings(QString& out, const QList<Run>& runs) {
  QSet<QString> seen;
  const auto add = [&](QStringView beginning) {
    if (beginning.isEmpty()) return;
    const QString text = beginning.toString();
    const qsizetype before = seen.size();
    seen.insert(text);
    if (seen.size() > before) out += u' ' + QString(kBeginningMark) + text;
  };
  for (const Run& run : runs) {
    if (!run.cjk) {
      const QString words = foldText(run.text).text;
      for (const QStringView word : QStringView(words).split(u' ')) add(firstTwo(word));
      continue;
    }
    for (qsizetype i = 0; i < run.text.size(); i += codePointAt(run.text, i).units) {
      add(run.text.sliced(i, codePointAt(run.text, i).units));
    }
  }
}

bool hasCjk(const QString& text) {
  constexpr char16_t kFirst = 0x1100;  // Nothing below is CJK, and most text is below.
  return std::any_of(text.begin(), text.end(), [](QChar unit) { return unit >= QChar(kFirst); });
}

/// A Hangul letter that is not part of a composed syllable.
bool isLooseJamo(QChar unit) {
  return (unit >= QChar(0x1100) && unit <= QChar(0x11ff)) ||
         (unit >= QChar(0x3131) && unit <= QChar(0x318e));
}

SearchTerm makeTerm(QString word, bool mayGoOn) {
  while (mayGoOn && word.size() > 1 && isLooseJamo(word.back())) word.chop(1);
  SearchTerm term;
  const QList<Run> runs = splitRuns(word);
  for (qsizetype i = 0; i < runs.size(); ++i) {
    const bool isLast = i + 1 == runs.size();
    if (runs[i].cjk) {
      appendPairs(term.phrase, runs[i].text, /*closed=*/!isLast);
      if (isLast) term.isPrefix = isSingle(runs[i].text);
    } else {
      term.phrase += runs[i].text;
      term.phrase += u' ';
      // A single letter begins too many words: it matches only as a whole word.
      if (isLast) term.isPrefix = mayGoOn && !isSingle(runs[i].text);
    }
  }
  if (runs.size() == 1 && term.isPrefix) term.beginning = beginningOf(runs[0]);
  term.phrase = term.phrase.trimmed();
  term.needle = foldText(word).text.trimmed();
  return term;
}

struct Word {
  QString text;
  bool quoted = false;
};

QList<Word> splitWords(const QString& text) {
  QList<Word> words;
  const QStringList parts = text.split(u'"');
  for (qsizetype i = 0; i < parts.size(); ++i) {
    if (i % 2 == 1) {
      words.append({parts[i], i + 1 < parts.size()});
      continue;
    }
    for (const QString& word : parts[i].simplified().split(u' ', Qt::SkipEmptyParts)) {
      words.append({word, false});
    }
  }
  return words;
}

const QString kAnd = QStringLiteral(" AND ");

QString wordsMatch(const SearchTerm& term) {
  QString phrase = term.phrase;
  phrase.replace(u'"', u' ');
  return u'"' + phrase + (term.isPrefix ? QStringLiteral("\" *") : QStringLiteral("\""));
}

/// Replaces the marks and zero characters, which have a meaning in the index.
QString normalize(const QString& text) {
  QString normal = text.normalized(QString::NormalizationForm_KC);
  normal.replace(kChatMark, u' ');
  normal.replace(kBeginningMark, u' ');
  normal.replace(QChar(0), u' ');
  return normal;
}

}  // namespace

bool isCjk(char32_t character) {
  if (character < 0x1100) return false;
  if (character == 0x30fc) return true;  // The prolonged sound mark; its script is Common.
  switch (QChar::script(character)) {
    case QChar::Script_Han:
    case QChar::Script_Hangul:
    case QChar::Script_Hiragana:
    case QChar::Script_Katakana:
    case QChar::Script_Bopomofo:
      return true;
    default:
      return false;
  }
}

QString toIndexText(const QString& text, RecordId chatId) {
  QString out;
  const QString normal = normalize(text);
  const QList<Run> runs = hasCjk(normal) ? splitRuns(normal) : QList<Run>{{normal, false}};
  if (hasCjk(normal)) {
    out.reserve(2 * normal.size());
    for (const Run& run : runs) {
      if (run.cjk) {
        appendPairs(out, run.text, /*closed=*/true);
      } else {
        out += run.text;
        out += u' ';
      }
    }
  } else {
    out = normal;
  }
  if (chatId == 0) return out;
  appendBeginnings(out, runs);
  return out + u' ' + kChatMark + QString::number(chatId);
}

QList<SearchTerm> parseSearch(const QString& text, bool typing) {
  QList<SearchTerm> terms;
  const QList<Word> words = splitWords(normalize(text.left(kMaxQuestion)));
  for (qsizetype i = 0; i < words.size() && terms.size() < kMaxTerms; ++i) {
    const bool isLast = i + 1 == words.size() && !text.back().isSpace();
    SearchTerm term = makeTerm(words[i].text, typing && isLast && !words[i].quoted);
    if (!term.phrase.isEmpty()) terms.append(std::move(term));
  }
  return terms;
}

QString toTitleMatch(const QList<SearchTerm>& terms) {
  QStringList parts;
  for (const SearchTerm& term : terms) parts.append(wordsMatch(term));
  return parts.join(kAnd);
}

QString toMatch(const QList<SearchTerm>& terms, RecordId chatId) {
  QStringList parts;
  for (const SearchTerm& term : terms) {
    parts.append(term.beginning.isEmpty() ? wordsMatch(term) : u'"' + term.beginning + u'"');
  }
  if (parts.isEmpty()) return {};
  if (chatId != 0) parts.append(u'"' + QString(kChatMark) + QString::number(chatId) + u'"');
  return parts.join(kAnd);
}

}  // namespace quire
