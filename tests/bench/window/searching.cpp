#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include "app/store/database.h"
#include "app/store/search/search_query.h"
#include "tests/bench/search_store.h"
#include "tests/bench/window/measures.h"
#include "tests/bench/window/streams.h"
#include "tests/support/watched_application.h"

namespace quire::bench {
namespace {

constexpr int kNumSearched = 100'000;
constexpr int kIndexedMessages = 10'000;  ///< Of the store whose index is made anew.
constexpr int kRounds = 3;

using Order = SearchQuestion::Order;

/// A kind of question, and the longest that it may take in most cases.
struct Kind {
  QString name;
  QStringList texts;
  bool typing = false;
  double newestMs = 50.0;
};

double p95(const Database& database, const Kind& kind, Order order) {
  QList<double> ms;
  for (int round = 0; round < kRounds; ++round) {
    for (const QString& text : kind.texts) {
      QElapsedTimer timer;
      timer.start();
      const auto answer = askIndex(database, {.text = text, .typing = kind.typing, .order = order},
                                   [] { return false; });
      require(answer.has_value(), answer ? "" : answer.error().message);
      ms.append(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
    }
  }
  return percentile(ms, 0.95);
}

void measureQuestions(Figures& figures, const QString& folder, const SearchWords& words) {
  constexpr double kSlowMs = 200.0;  // Ranked, and CJK of up to two characters.
  const QList<Kind> kinds = {{QStringLiteral("common word"), words.common},
                             {QStringLiteral("rare word"), words.rare},
                             {QStringLiteral("two words"), words.two},
                             {QStringLiteral("3 letters, typing"), words.prefixes, true},
                             {QStringLiteral("2 letters, typing"), words.shortPrefixes, true},
                             {QStringLiteral("CJK, 3 characters"), words.triples},
                             {QStringLiteral("CJK, 2 characters"), words.pairs, false, kSlowMs},
                             {QStringLiteral("CJK, 1 character"), words.singles, false, kSlowMs}};
  const auto database = openStoreForReading(folder);
  require(database.has_value(), database ? "" : database.error().message);
  for (const Kind& kind : kinds) {
    figures.add({kind.name + QStringLiteral(", newest first, p95"),
                 p95(**database, kind, Order::NewestFirst), kind.newestMs});
    figures.add({kind.name + QStringLiteral(", ranked, p95"),
                 p95(**database, kind, Order::BestFirst), kSlowMs});
  }
}

/// Words typed into the search card, letter by letter, faster than anybody does.
void measureTyping(Figures& figures, const QString& folder, const SearchWords& words) {
  FakeBackend backend;
  const auto driver = openBenchWindow(backend, folder);
  QuickOpen& card = *driver->app().quickOpen();
  card.showSearch();
  QTest::qWait(300);
  QQuickItem* field = driver->item(QStringLiteral("quickOpenField"));
  if (!field) qFatal("The search card has no field.");
  field->forceActiveFocus();
  WatchedApplication::instance().reset();
  const double cpu = threadCpuUs();
  QList<double> keys;
  QList<double> answers;
  int found = 0;
  const auto counting = QObject::connect(&card, &QuickOpen::rowsChanged, &card, [&] { ++found; });
  const QStringList typed = words.two.mid(0, 4) + words.rare.mid(0, 4) + words.pairs.mid(0, 4);
  for (const QString& word : typed) {
    for (const QChar letter : word) {
      QElapsedTimer timer;
      timer.start();
      const int before = found;
      keys.append(keyToGlyph(*driver, field, QString(letter)));
      // Chats' titles come at once, messages when they are found.
      if (QTest::qWaitFor([&] { return found >= before + 2; }, 400)) {
        answers.append(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
      }
    }
    card.setQuery({});
    QTest::qWait(50);
  }
  QObject::disconnect(counting);
  figures.add(
      {QStringLiteral("key to glyph in the search field, p95"), percentile(keys, 0.95), 33.0});
  figures.add(
      {QStringLiteral("key to glyph in the search field, worst"), percentile(keys, 1.0), 100.0});
  figures.add({QStringLiteral("key to what is found, p95 of %1").arg(answers.size()),
               percentile(answers, 0.95)});
  figures.add({QStringLiteral("work of the window's thread for a letter and what it finds"),
               (threadCpuUs() - cpu) * 1e-3 / static_cast<double>(keys.size())});
  const Blockage worst = WatchedApplication::instance().worst();
  figures.add({QStringLiteral("window's thread blocked while typing (%1)").arg(worst.event),
               worst.ms, kMaxBlockedMs});
}

void measureIndexing(Figures& figures) {
  const QTemporaryDir folder;
  SearchTexts source;
  makeSearchStore(folder.path(), kIndexedMessages, source);
  dropIndex(folder.path());
  const auto store = ConversationStore::open(folder.path());
  require(store.has_value(), store ? "" : store.error().message);
  const IndexSlices slices = tendIndex(**store);
  const auto longest = [](const std::vector<double>& ms) { return *std::ranges::max_element(ms); };
  figures.add({QStringLiteral("a slice of the index, longest, of the processor"),
               longest(slices.cpuMs), 50.0});
  figures.add({QStringLiteral("a slice of the index, p95, by the clock"),
               percentile({slices.wallMs.begin(), slices.wallMs.end()}, 0.95), 50.0});
  figures.add(
      {QStringLiteral("a slice of the index, longest, by the clock"), longest(slices.wallMs)});
}

}  // namespace

void measureSearching(Figures& figures, const Options& options) {
  const QTemporaryDir temporary;
  const QString folder = options.searchStore.isEmpty() ? temporary.path() : options.searchStore;
  SearchTexts source;
  if (!QFileInfo::exists(folder + QStringLiteral("/quire.db"))) {
    makeSearchStore(folder, kNumSearched, source);
  }
  const SearchWords words = collectSearchWords(source);
  measureQuestions(figures, folder, words);
  measureTyping(figures, folder, words);
  measureIndexing(figures);
}

}  // namespace quire::bench
