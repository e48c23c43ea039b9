#include "tests/bench/search_store.h"

#include <QElapsedTimer>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/schema.h"

namespace quire {
namespace {

constexpr int kMessagesPerChat = 100;

QString makeWord(int rank) {
  static const QString consonants = "bcdfghjklmnprstvwz";
  static const QString vowels = "aeiou";
  QString word;
  for (int rest = rank + 7; rest > 0; rest /= 90) {
    word += consonants[rest % 90 / 5];
    word += vowels[rest % 5];
  }
  return word;
}

double threadCpuMs() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

}  // namespace

SearchTexts::SearchTexts() {
  for (int i = 0; i < kNumWords; ++i) m_words.push_back(makeWord(i));
}

QString SearchTexts::latin() {
  QString text;
  while (text.size() < 700) text += m_words[zipf(kNumWords)] + u' ';
  return text;
}

QString SearchTexts::cjk(char16_t first, int count, bool spaced) {
  QString text;
  while (text.size() < 350) {
    text += QChar(static_cast<char16_t>(first + zipf(count)));
    if (spaced && m_random() % 4 == 0) text += u' ';
    if (m_random() % 20 == 0) text += u'。';
  }
  return text;
}

QString SearchTexts::any(int message) {
  switch (message % 15) {
    case 0:
      return cjk(0x4e00, 3000, false);
    case 5:
      return cjk(0x3042, 80, false) + cjk(0x4e00, 2000, false);
    case 10:
      return cjk(0xac00, 2500, true);
    default:
      return latin();
  }
}

size_t SearchTexts::zipf(int count) {
  const double u = std::uniform_real_distribution<double>(0.0, 1.0)(m_random);
  return static_cast<size_t>(std::min<double>(count - 1, std::pow(count + 1.0, u) - 1.0));
}

void require(bool ok, const std::string& why) {
  if (ok) return;
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

void makeSearchStore(const QString& folder, int numMessages, SearchTexts& source) {
  auto store = ConversationStore::open(folder);
  require(store.has_value(), store ? "" : store.error().message);
  RecordId id = 0;
  for (int made = 0; made < numMessages; made += kMessagesPerChat) {
    NewChat chat;
    chat.chat.id = ++id;
    chat.chat.title = source.latin().left(30);
    RecordId parent = 0;
    for (int i = 0; i < kMessagesPerChat; ++i) {
      MessageRecord message;
      message.id = ++id;
      message.chatId = chat.chat.id;
      message.parentId = std::exchange(parent, id);
      message.role = i % 2 == 0 ? MessageRole::User : MessageRole::Assistant;
      message.setText(source.any(made + i));
      chat.messages.append(message);
    }
    chat.chat.headMessageId = parent;
    const auto created = (*store)->createChat(chat);
    require(created.has_value(), created ? "" : created.error().message);
  }
}

SearchWords collectSearchWords(SearchTexts& source) {
  SearchWords words;
  for (int i = 0; i < 20; ++i) {
    words.common.append(source.word(i));
    words.rare.append(source.word(SearchTexts::kNumWords / 2 + 400 * i));
    words.prefixes.append(source.word(100 + i).left(3));
    words.shortPrefixes.append(source.word(i).left(2));
    words.two.append(source.word(2 * i) + u' ' + source.word(60 + i));
    for (const QString& text : {source.any(0), source.any(5), source.any(10)}) {
      const QString run = QString(text).remove(u' ').remove(u'。');
      words.pairs.append(run.mid(5 * i, 2));
      words.triples.append(run.mid(5 * i, 3));
      words.singles.append(run.mid(5 * i, 1));
    }
  }
  return words;
}

IndexSlices tendIndex(ConversationStore& store) {
  IndexSlices slices;
  for (bool more = true; more;) {
    QElapsedTimer timer;
    timer.start();
    const double cpu = threadCpuMs();
    const auto tended = store.maintain();
    require(tended.has_value(), tended ? "" : tended.error().message);
    more = *tended;
    slices.wallMs.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    slices.cpuMs.push_back(threadCpuMs() - cpu);
  }
  return slices;
}

void dropIndex(const QString& folder) {
  const auto database = openStore(folder);
  require(database.has_value(), "cannot open the store");
  for (const char* statement : searchIndexStatements()) {
    const auto done = (*database)->exec(statement);
    require(done.has_value(), done ? "" : done.error().message);
  }
}

}  // namespace quire
