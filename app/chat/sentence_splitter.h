#pragma once

#include <QString>
#include <QStringList>

#include <utility>

namespace quire {

/// Splits streamed text into sentences for screen readers. English and Korean sentences end at a
/// full stop, question or exclamation mark before a space; Chinese and Japanese ones at their own
/// marks; all at the end of a line. Invariants: no character is lost; text without a sentence end
/// is cut at a space after 240 letters.
class SentenceSplitter {
 public:
  /// The sentences that are whole now.
  QStringList append(QStringView text);
  /// What is left at the end of the answer; empty: nothing.
  QString finish() { return std::exchange(m_rest, QString()).trimmed(); }

 private:
  qsizetype endOfSentence() const;  ///< -1: not there yet.

  QString m_rest;
};

}  // namespace quire
