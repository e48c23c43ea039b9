// Makes a store of 100,000 messages, a fifth of them Chinese, Japanese or Korean, and measures what
// searching it costs: bench_search [FOLDER] [MESSAGES] [rebuild]. The folder is kept and used
// again; "rebuild" throws its index away first and measures the slices in which it is made anew.

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/store/conversation_store.h"
#include "app/store/database.h"
#include "app/store/search/search_query.h"
#include "tests/bench/search_store.h"

using namespace quire;

namespace {

void printMs(const char* name, const char* kind, std::vector<double> ms) {
  std::sort(ms.begin(), ms.end());
  double total = 0.0;
  for (const double slice : ms) total += slice;
  std::printf("%s, %s: %zu slices, %.1f s; p50 %.1f, p95 %.1f, p99 %.1f, longest %.1f ms\n", name,
              kind, ms.size(), total * 1e-3, ms[ms.size() / 2], ms[ms.size() * 95 / 100],
              ms[ms.size() * 99 / 100], ms.back());
}

void printSlices(const char* name, const IndexSlices& slices) {
  printMs(name, "by the clock", slices.wallMs);
  printMs(name, "of the processor", slices.cpuMs);
}

void rebuild(const QString& folder) {
  dropIndex(folder);
  const auto store = ConversationStore::open(folder);
  require(store.has_value(), store ? "" : store.error().message);
  printSlices("index", tendIndex(**store));
  ChatRecord chat;
  chat.id = (*store)->highestId().value() + 1;
  require((*store)->putChat(chat).has_value() && (*store)->removeChat(chat.id).has_value(),
          "cannot remove a chat");
  printSlices("clearing away", tendIndex(**store));
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

void printSizes(const Database& database) {
  for (const char* like : {"message_search%", "message%", "%"}) {
    const auto bytes = database.number("SELECT sum(pgsize) FROM dbstat WHERE name LIKE '" +
                                       std::string(like) + "'");
    if (bytes) std::printf("%-18s %.1f MB\n", like, static_cast<double>(*bytes) * 1e-6);
  }
  const auto leaves = database.number("SELECT sum(length(block)) FROM message_search_data");
  if (leaves) std::printf("%-18s %.1f MB\n", "index", static_cast<double>(*leaves) * 1e-6);
  const auto text = database.number("SELECT sum(length(CAST(payload AS BLOB))) FROM message_part");
  if (text) std::printf("%-18s %.1f MB\n", "text", static_cast<double>(*text) * 1e-6);
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  const QTemporaryDir temporary;
  const QString folder = argc > 1 ? QString::fromLocal8Bit(argv[1]) : temporary.path();
  const int numMessages = argc > 2 ? atoi(argv[2]) : 100'000;
  SearchTexts source;
  QElapsedTimer timer;
  timer.start();
  if (!QFileInfo::exists(folder + "/quire.db")) makeSearchStore(folder, numMessages, source);
  if (argc > 3) rebuild(folder);
  std::printf("made in %.1f s\n", static_cast<double>(timer.elapsed()) * 1e-3);
  const auto opened = openStoreForReading(folder);
  require(opened.has_value(), opened ? "" : opened.error().message);
  const Database& database = **opened;
  const SearchWords words = collectSearchWords(source);
  std::printf("%-34s %-7s %7s %7s\n", "words", "order", "p50 ms", "p95 ms");
  for (const Order order : {Order::NewestFirst, Order::BestFirst}) {
    row(database, "common", words.common, order);
    row(database, "rare", words.rare, order);
    row(database, "two words", words.two, order);
    row(database, "3 letters, while typing", words.prefixes, order, true);
    row(database, "2 letters, while typing", words.shortPrefixes, order, true);
    row(database, "1 letter, while typing", {"b", "c", "d"}, order, true);
    row(database, "CJK, 1 character", words.singles, order);
    row(database, "CJK, 2 characters", words.pairs, order);
    row(database, "CJK, 3 characters", words.triples, order);
    row(database, "common, in one chat", words.common, order, false, 1);
  }
  printSizes(database);
  return 0;
}
