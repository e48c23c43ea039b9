#include "app/store/search/snippet.h"

#include <algorithm>
#include <bit>

#include "app/store/search/fold_text.h"

namespace quire {
namespace {

constexpr qsizetype kChunk = 32 * 1024;  ///< Characters that are folded at a time.
constexpr qsizetype kOverlap = 1024;     ///< Of chunks, because a hit may span two of them.
constexpr qsizetype kBefore = 40;        ///< Characters of a snippet before its first mark.
constexpr qsizetype kWindow = 160;       ///< Characters of a snippet from its first mark on.
constexpr qsizetype kMaxHits = 256;
constexpr qsizetype kMaxWord = 24;  ///< A cut moves at most so far to stand between words.

struct Hit {
  TextRange range;  ///< In the message's text.
  qsizetype term = 0;
};

TextRange rangeOf(const FoldedText& folded, qsizetype at, qsizetype length, qsizetype offset) {
  const qsizetype first = folded.origins[at];
  const qsizetype last = folded.origins[at + length - 1];
  return {offset + first, last - first + 1};
}

/// All hits of one chunk, in the order of their positions.
QList<Hit> hitsIn(QStringView chunk, qsizetype offset, const QList<SearchTerm>& terms) {
  QList<Hit> hits;
  const FoldedText folded = foldText(chunk);
  for (qsizetype term = 0; term < terms.size(); ++term) {
    const SearchTerm& wanted = terms[term];
    qsizetype at = findFolded(folded, wanted.needle, wanted.isPrefix, 0);
    for (qsizetype count = 0; at >= 0 && count < kMaxHits; ++count) {
      hits.append({rangeOf(folded, at, wanted.needle.size(), offset), term});
      at = findFolded(folded, wanted.needle, wanted.isPrefix, at + wanted.needle.size());
    }
  }
  std::sort(hits.begin(), hits.end(),
            [](const Hit& a, const Hit& b) { return a.range.start < b.range.start; });
  return hits;
}

QList<Hit> firstHits(const QString& text, const QList<SearchTerm>& terms,
                     const std::function<bool()>& cancelled) {
  const QStringView whole = text;
  for (qsizetype offset = 0; offset < text.size() && !cancelled(); offset += kChunk - kOverlap) {
    const qsizetype length = std::min(kChunk, text.size() - offset);
    QList<Hit> hits = hitsIn(whole.sliced(offset, length), offset, terms);
    if (!hits.isEmpty()) return hits;
    if (offset + length == text.size()) break;
  }
  return {};
}

/// The index of the hit that a snippet should begin with.
qsizetype bestStart(const QList<Hit>& hits) {
  qsizetype best = 0;
  int mostTerms = 0;
  for (qsizetype i = 0; i < std::min(hits.size(), kMaxHits); ++i) {
    quint32 seen = 0;
    for (qsizetype j = i; j < hits.size(); ++j) {
      if (hits[j].range.start - hits[i].range.start > kWindow) break;
      seen |= 1u << (hits[j].term % 32);
    }
    const int numTerms = std::popcount(seen);
    if (numTerms > mostTerms) {
      mostTerms = numTerms;
      best = i;
    }
  }
  return best;
}

/// The position, moved back to the beginning of a word if that is near; never in a surrogate pair.
qsizetype cutBefore(const QString& text, qsizetype at) {
  for (qsizetype i = at; i > 0 && at - i < kMaxWord; --i) {
    if (text[i - 1].isSpace()) return i;
  }
  return at > 0 && text[at].isLowSurrogate() ? at - 1 : at;
}

qsizetype cutAfter(const QString& text, qsizetype at) {
  if (at >= text.size()) return text.size();
  for (qsizetype i = at; i < text.size() && i - at < kMaxWord; ++i) {
    if (text[i].isSpace()) return i;
  }
  return text[at].isLowSurrogate() ? at + 1 : at;
}

/// text[begin, end) as one line, and the new position of each of its characters.
class Line {
 public:
  Line(const QString& text, qsizetype begin, qsizetype end) : m_begin(begin) {
    if (begin > 0) m_text += u'…';
    for (qsizetype i = begin; i < end; ++i) {
      m_places.append(m_text.size());
      const bool gap = text[i].isSpace();
      if (gap && (m_text.isEmpty() || m_text.back() == u' ')) continue;
      m_text += gap ? QChar(u' ') : text[i];
    }
    m_places.append(m_text.size());
    if (end < text.size()) m_text += u'…';
  }

  QString text() const { return m_text; }
  TextRange place(TextRange range) const {
    const qsizetype first = std::max<qsizetype>(0, range.start - m_begin);
    const qsizetype last = std::min(range.start + range.length - m_begin, m_places.size() - 1);
    if (first >= last) return {};
    return {m_places[first], m_places[last] - m_places[first]};
  }

 private:
  qsizetype m_begin;
  QString m_text;
  QList<qsizetype> m_places;
};

}  // namespace

Snippet makeSnippet(const QString& text, const QList<SearchTerm>& terms,
                    const std::function<bool()>& cancelled) {
  const QList<Hit> hits = firstHits(text, terms, cancelled);
  const qsizetype start = hits.isEmpty() ? 0 : bestStart(hits);
  Snippet snippet;
  if (!hits.isEmpty()) snippet.hit = hits[start].range;
  const qsizetype begin = cutBefore(text, std::max<qsizetype>(0, snippet.hit.start - kBefore));
  const qsizetype end = cutAfter(text, std::min(text.size(), snippet.hit.start + kWindow));
  const Line line(text, begin, end);
  snippet.text = line.text();
  qsizetype covered = 0;
  for (const Hit& hit : hits) {
    if (hit.range.start < begin || hit.range.start >= end) continue;
    const TextRange mark = line.place(hit.range);
    if (mark.length == 0 || mark.start < covered) continue;
    snippet.marks.append(mark);
    covered = mark.start + mark.length;
  }
  return snippet;
}

}  // namespace quire
