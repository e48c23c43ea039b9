// What the sidebar's list costs with many chats: bench_chat_list [CHATS].
#include <QCoreApplication>
#include <QElapsedTimer>

#include <cstdio>

#include "app/sidebar/chat_list_model.h"

namespace {

using namespace quire;

ChatRecord chat(RecordId id) {
  ChatRecord record;
  record.id = id;
  record.title = QStringLiteral("Chat number %1").arg(id);
  record.activeMs = 1'700'000'000'000 + id * 60'000;
  record.folderId = id % 10 == 0 ? 1 + id % 3 : 0;
  return record;
}

template <typename Act>
void measure(const char* name, int times, const Act& act) {
  QElapsedTimer timer;
  timer.start();
  for (int i = 0; i < times; ++i) act(i);
  std::printf("%-28s %8.2f us\n", name, double(timer.nsecsElapsed()) / 1000.0 / times);
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  const int count = argc > 1 ? std::atoi(argv[1]) : 10'000;
  QList<ChatRecord> chats;
  for (int id = 1; id <= count; ++id) chats.append(chat(id));
  ChatListModel model;
  measure("all set", 1, [&](int) { model.setChats(chats); });
  qint64 now = 1'800'000'000'000;
  measure("moved to the top", 2000, [&](int i) {
    ChatRecord moved = chats[(i * 7919) % count];
    moved.activeMs = ++now;
    model.put(moved);
  });
  measure("put where it is", 2000, [&](int i) { model.put(*model.find(1 + (i * 31) % count)); });
  measure("row found", 2000, [&](int i) { model.rowOf(1 + (i * 17) % count); });
  measure("taken and put back", 2000, [&](int i) {
    if (const auto taken = model.take(1 + (i * 13) % count)) model.put(*taken);
  });
  measure("titles searched", 20, [&](int) {
    model.findChats([](const ChatRecord& c) { return c.title.contains("99", Qt::CaseInsensitive); },
                    20);
  });
  return 0;
}
