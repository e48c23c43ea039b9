// Makes a store of 100,000 messages, a fifth of them Chinese, Japanese or Korean, and measures what
// searching it costs: bench_search [FOLDER] [MESSAGES] [rebuild]. The folder is kept and used
// again; "rebuild" throws its index away first and measures the slices in which it is made anew.

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/schema.h"
#include "app/store/search/search_query.h"

using namespace quire;

namespace {

constexpr int kMessagesPerChat = 100;
constexpr int kNumWords = 40'000;

/// Words and characters with frequencies as in a language: the n-th is 1/n as frequent.
class TextSource {
 public:
  TextSource() {
    for (int i = 0; i < kNumWords; ++i) m_words.push_back(makeWord(i));
  }

  QString latin() {
    QString text;
    while (text.size() < 700) text += m_words[zipf(kNumWords)] + u' ';
    return text;
  }
  QString cjk(char16_t first, int count, bool spaced) {
    QString text;
    while (text.size() < 350) {
      text += QChar(static_cast<char16_t>(first + zipf(count)));
      if (spaced && m_random() % 4 == 0) text += u' ';
      if (m_random() % 20 == 0) text += u'。';
    }
    return text;
  }
  QString word(int rank) const { return m_words[static_cast<size_t>(rank)]; }
  QString any(int message) {
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

 private:
  static QString makeWord(int rank) {
    static const QString consonants = "bcdfghjklmnprstvwz";
    static const QString vowels = "aeiou";
    QString word;
    for (int rest = rank + 7; rest > 0; rest /= 90) {
      word += consonants[rest % 90 / 5];
      word += vowels[rest % 5];
    }
    return word;
  }
  size_t zipf(int count) {
    const double u = std::uniform_real_distribution<double>(0.0, 1.0)(m_random);
    return static_cast<size_t>(std::min<double>(count - 1, std::pow(count + 1.0, u) - 1.0));
  }

  std::mt19937 m_random{7};
  std::vector<QString> m_words;
};

void require(bool ok, const std::string& why) {
  if (ok) return;
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

void fill(const QString& folder, int numMessages, TextSource& source) {
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
      message.text = source.any(made + i);
      chat.messages.append(message);
    }
    chat.chat.headMessageId = parent;
    const auto created = (*store)->createChat(chat);
    require(created.has_value(), created ? "" : created.error().message);
  }
}

void printSlices(const char* name, std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  double total = 0.0;
  for (const double slice : ms) total += slice;
  std::printf("%s: %zu slices, %.1f s; p50 %.1f, p95 %.1f, p99 %.1f, longest %.1f ms\n", name,
              ms.size(), total * 1e-3, ms[ms.size() / 2], ms[ms.size() * 95 / 100],
              ms[ms.size() * 99 / 100], ms.back());
}

std::vector<double> tendAll(ConversationStore& store) {
  std::vector<double> ms;
  for (bool more = true; more;) {
    QElapsedTimer timer;
    timer.start();
    const auto tended = store.tendSearch();
    require(tended.has_value(), tended ? "" : tended.error().message);
    more = *tended;
    ms.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
  }
  return ms;
}

void rebuild(const QString& folder) {
  {
    const auto database = Database::open(folder);
    require(database.has_value(), "cannot open the store");
    for (const char* statement : searchIndexStatements()) {
      const auto done = (*database)->exec(statement);
      require(done.has_value(), done ? "" : done.error().message);
    }
  }
  const auto store = ConversationStore::open(folder);
  require(store.has_value(), store ? "" : store.error().message);
  printSlices("index", tendAll(**store));
  ChatRecord chat;
  chat.id = (*store)->highestId().value() + 1;
  require((*store)->putChat(chat).has_value() && (*store)->removeChat(chat.id).has_value(),
          "cannot remove a chat");
  printSlices("clearing away", tendAll(**store));
}

struct Times {
  double p50 = 0.0;
  double p95 = 0.0;
  int hits = 0;
};

Times measure(const Database& database, const QList<SearchQuestion>& questions) {
  std::vector<double> ms;
  Times times;
  for (int round = 0; round < 3; ++round) {
    for (const SearchQuestion& question : questions) {
      QElapsedTimer timer;
      timer.start();
      const auto answer = askIndex(database, question, [] { return false; });
      require(answer.has_value(), answer ? "" : answer.error().message);
      ms.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
      if (!answer->messages.isEmpty()) ++times.hits;
    }
  }
  std::sort(ms.begin(), ms.end());
  times.p50 = ms[ms.size() / 2];
  times.p95 = ms[ms.size() * 95 / 100];
  return times;
}

using Order = SearchQuestion::Order;

void row(const Database& database, const char* name, const QStringList& texts, Order order,
         bool typing = false, RecordId chatId = 0) {
  QList<SearchQuestion> questions;
  for (const QString& text : texts) {
    questions.append({.text = text, .typing = typing, .chatId = chatId, .order = order});
  }
  const Times times = measure(database, questions);
  std::printf("%-34s %-7s %7.2f %7.2f   %d of %d found\n", name,
              order == Order::NewestFirst ? "newest" : "ranked", times.p50, times.p95, times.hits,
              static_cast<int>(3 * questions.size()));
}

/// Words as they stand in messages, from a second run over the same texts.
struct Words {
  QStringList common, rare, pairs, triples, singles, prefixes, two;
};

Words collectWords(TextSource& source) {
  Words words;
  for (int i = 0; i < 20; ++i) {
    words.common.append(source.word(i));
    words.rare.append(source.word(kNumWords / 2 + 400 * i));
    words.prefixes.append(source.word(100 + i).left(3));
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

void printSizes(const Database& database) {
  for (const char* like : {"message_search%", "message%", "%"}) {
    const auto bytes =
        database.scalar(QStringLiteral("SELECT sum(pgsize) FROM dbstat WHERE name LIKE '%1'")
                            .arg(QLatin1String(like)));
    if (bytes) std::printf("%-18s %.1f MB\n", like, bytes->toDouble() * 1e-6);
  }
  const auto leaves =
      database.scalar(QStringLiteral("SELECT sum(length(block)) FROM message_search_data"));
  if (leaves) std::printf("%-18s %.1f MB\n", "index", leaves->toDouble() * 1e-6);
  const auto text =
      database.scalar(QStringLiteral("SELECT sum(length(CAST(text AS BLOB))) FROM message"));
  if (text) std::printf("%-18s %.1f MB\n", "text", text->toDouble() * 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  const QTemporaryDir temporary;
  const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : temporary.path();
  const int numMessages = argc > 2 ? atoi(argv[2]) : 100'000;
  TextSource source;
  QElapsedTimer timer;
  timer.start();
  if (!QFileInfo::exists(folder + "/quire.db")) fill(folder, numMessages, source);
  if (argc > 3) rebuild(folder);
  std::printf("made in %.1f s\n", static_cast<double>(timer.elapsed()) * 1e-3);
  const auto opened = Database::openForReading(folder);
  require(opened.has_value(), opened ? "" : opened.error().message);
  const Database& database = **opened;
  const Words words = collectWords(source);
  std::printf("%-34s %-7s %7s %7s\n", "words", "order", "p50 ms", "p95 ms");
  for (const Order order : {Order::NewestFirst, Order::BestFirst}) {
    row(database, "common", words.common, order);
    row(database, "rare", words.rare, order);
    row(database, "two words", words.two, order);
    row(database, "3 letters, while typing", words.prefixes, order, true);
    row(database, "2 letters, while typing", {"ba", "ce", "di"}, order, true);
    row(database, "1 letter, while typing", {"b", "c", "d"}, order, true);
    row(database, "CJK, 1 character", words.singles, order);
    row(database, "CJK, 2 characters", words.pairs, order);
    row(database, "CJK, 3 characters", words.triples, order);
    row(database, "common, in one chat", words.common, order, false, 1);
  }
  printSizes(database);
  return 0;
}
