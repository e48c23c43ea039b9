#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include "tests/bench/window/measures.h"
#include "tests/bench/window/streams.h"

namespace quire::bench {
namespace {

constexpr int kHiddenSeconds = 4;

QList<QQuickItem*> allItems(const QQuickWindow& window) {
  QList<QQuickItem*> items = {window.contentItem()};
  for (qsizetype i = 0; i < items.size(); ++i) items += items[i]->childItems();
  return items;
}

/// Items that lay out rows of one of these chats, in sight or not.
int numViewsOf(const QQuickWindow& window, const QList<ChatModel*>& chats) {
  int views = 0;
  for (const QQuickItem* item : allItems(window)) {
    const auto* rows = item->property("model").value<QObject*>();
    for (ChatModel* chat : chats) views += rows == chat->timeline() ? 1 : 0;
  }
  return views;
}

/// Counts each time that something in the conversation that is shown gets another size or place.
class LayoutCounter : public QObject {
 public:
  explicit LayoutCounter(QQuickItem* root) {
    QList<QQuickItem*> items = {root};
    for (qsizetype i = 0; i < items.size(); ++i) {
      items += items[i]->childItems();
      for (const auto signal : {&QQuickItem::widthChanged, &QQuickItem::heightChanged,
                                &QQuickItem::yChanged, &QQuickItem::implicitHeightChanged}) {
        connect(items[i], signal, this, [this] { ++count; });
      }
    }
  }
  int count = 0;
};

}  // namespace

void measureHidden(Figures& figures, const Options& options) {
  QTemporaryDir folder;
  Streams streams(options);
  const auto driver = openBenchWindow(streams.backend(), folder.path());
  QList<ChatModel*> hidden;
  std::vector<std::unique_ptr<UpdateCounter>> counters;
  for (int number = 0; number < kNumStreams; ++number) {
    hidden.append(&streams.begin(*driver, number));
    counters.push_back(std::make_unique<UpdateCounter>(*hidden.last()));
  }
  driver->app().navigation()->newChat();
  streams.waitFor(hidden);
  QTest::qWait(500);
  QQuickItem* shown = driver->item(QStringLiteral("timeline"));
  LayoutCounter layouts(shown ? shown : driver->window()->contentItem());
  for (auto& counter : counters) counter->count = 0;
  int frames = 0;
  const auto counting = QObject::connect(driver->window(), &QQuickWindow::frameSwapped,
                                         driver->window(), [&] { ++frames; });
  QElapsedTimer timer;
  timer.start();
  const double cpu = threadCpuUs();
  QTest::qWait(kHiddenSeconds * 1000);
  const double seconds = static_cast<double>(timer.elapsed()) * 1e-3;
  const double busy = (threadCpuUs() - cpu) * 1e-4 / seconds;
  QObject::disconnect(counting);
  int updates = 0;
  for (const auto& counter : counters) updates += counter->count;
  if (updates == 0) qFatal("The hidden chats got nothing.");
  figures.add({QStringLiteral("items that lay out one of 8 hidden chats that stream"),
               static_cast<double>(numViewsOf(*driver->window(), hidden)), 0.0,
               QStringLiteral("items")});
  figures.add({QStringLiteral("layouts in the chat that is shown, idle"),
               static_cast<double>(layouts.count), 0.0, QStringLiteral("times")});
  figures.add(
      {QStringLiteral("pictures made meanwhile"), frames / seconds, {}, QStringLiteral("per s")});
  figures.add({QStringLiteral("window's thread at work"), busy, {}, QStringLiteral("%")});
}

}  // namespace quire::bench
