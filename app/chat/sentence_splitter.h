#pragma once

#include <QString>
#include <QStringList>

namespace quire {

/// Cuts text that is still being written into whole sentences, for what is read aloud. English and
/// Korean sentences end at a full stop, a question or an exclamation mark before a space; Chinese
/// and Japanese ones at their own marks; every one at the end of its line.
/// Invariants: no character is lost; a piece without any end is cut at a space after 240 letters.
class SentenceSplitter {
 public:
  /// The sentences that are whole now.
  QStringList append(QStringView text);
  /// What is left at the end of the answer; empty: nothing.
  QString finish();

 private:
  qsizetype endOfSentence() const;  ///< -1: not there yet.

  QString m_rest;
};

}  // namespace quire
