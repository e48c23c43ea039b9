#pragma once

#include <QString>
#include <QStringList>

#include <random>
#include <string>
#include <vector>

namespace quire {

class ConversationStore;

/// Words and characters with frequencies as in a language: the n-th is 1/n as frequent. A fifth of
/// the texts is Chinese, Japanese or Korean.
class SearchTexts {
 public:
  static constexpr int kNumWords = 40'000;

  SearchTexts();

  QString latin();
  QString any(int message);
  QString word(int rank) const { return m_words[static_cast<size_t>(rank)]; }

 private:
  QString cjk(char16_t first, int count, bool spaced);
  size_t zipf(int count);

  std::mt19937 m_random{7};
  std::vector<QString> m_words;
};

/// Makes a store with so many messages, a hundred in a chat. Ends the program if it cannot.
void makeSearchStore(const QString& folder, int numMessages, SearchTexts& source);

/// Words as they stand in messages, from texts of the source that the store was made from.
struct SearchWords {
  QStringList common, rare, pairs, triples, singles, prefixes, shortPrefixes, two;
};

SearchWords collectSearchWords(SearchTexts& source);

/// Milliseconds that each slice of the work on the index took of the clock and of the processor.
struct IndexSlices {
  std::vector<double> wallMs;
  std::vector<double> cpuMs;
};

IndexSlices tendIndex(ConversationStore& store);
/// Throws the index away, so that tendIndex() makes it anew.
void dropIndex(const QString& folder);

/// Ends the program with that sentence unless `ok`.
void require(bool ok, const std::string& why);

}  // namespace quire
