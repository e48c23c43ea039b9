#include "tests/fuzz/store_sample.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "app/store/conversation_store.h"
#include "tests/app/store/sample_records.h"

namespace quire::fuzz {
namespace {

void must(const Result<void>& done) {
  require(done.has_value(), done ? "" : done.error().message);
}

OriginRecord origin_of(const MessageRecord& answer) {
  OriginRecord origin;
  origin.templateHash = QStringLiteral("aa11");
  origin.deviceName = QStringLiteral("cpu");
  origin.promptTokens = {1, 2, 3, 4, 5, 6, 7, static_cast<qint32>(answer.id)};
  return origin;
}

void add_chat(ConversationStore& store, RecordId id) {
  const ChatRecord chat = samples::chat(id, id + 2);
  MessageRecord answer = samples::emptyAnswer(id + 2, id, id + 1);
  must(store.beginTurn(chat, samples::questionWith(id + 1, id, {samples::attachment(1)}), answer));
  answer = samples::finishedAnswer(id + 2, id, id + 1);
  must(store.finishAnswer(answer, origin_of(answer)));
  must(store.putDraft(chat, {samples::attachment(2)}));
}

void fill(ConversationStore& store) {
  must(store.putPersona(samples::persona(1)));
  FolderRecord folder;
  folder.id = 2;
  folder.name = QStringLiteral("Folder");
  must(store.putFolder(folder));
  for (const RecordId id : {100, 200, 300}) add_chat(store, id);
  must(store.putSetting(QStringLiteral("language"), QStringLiteral("ko")));
  while (store.maintain().value_or(false)) {
  }
}

std::string make_store(bool is_filled) {
  const ScratchFolder folder;
  {
    auto store = ConversationStore::open(QString::fromStdString(folder.path().string()));
    require(store.has_value(), "a store is made");
    if (is_filled) fill(**store);
  }
  std::ifstream file(folder.path() / "quire.db", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string sample_store() {
  return make_store(true);
}

std::string empty_store() {
  return make_store(false);
}

std::string patched(std::string file, std::string_view bytes) {
  if (bytes.starts_with("SQLite format 3")) return std::string(bytes);
  constexpr size_t kHead = 5;
  while (bytes.size() > kHead && !file.empty()) {
    uint32_t offset = 0;
    std::memcpy(&offset, bytes.data(), sizeof offset);
    const size_t at = offset % file.size();
    const size_t wanted = static_cast<uint8_t>(bytes[4]);
    bytes.remove_prefix(kHead);
    const size_t count = std::min({wanted, bytes.size(), file.size() - at});
    file.replace(at, count, bytes.substr(0, count));
    bytes.remove_prefix(std::min(wanted, bytes.size()));
  }
  return file;
}

}  // namespace quire::fuzz
