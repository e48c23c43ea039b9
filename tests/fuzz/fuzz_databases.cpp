#include <QString>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "app/store/backup/store_rescue.h"
#include "app/store/conversation_store.h"
#include "app/store/prefix/prefix_table.h"
#include "app/store/recorded_answers.h"
#include "app/store/search/search_query.h"
#include "app/store/transfer/transfer.h"
#include "tests/app/store/prefix/sample_blocks.h"
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/store_sample.h"

namespace quire::fuzz {
namespace {

void require_store_error(const Error& error) {
  require_sentence(error, {"quire.db", "message", "Message ", "conversations"});
}

template <typename T>
void require_store_sentence(const Result<T>& result) {
  if (!result) require_store_error(result.error());
}

/// Reads everything that the window reads.
void read_all(const ConversationStore& store) {
  require_store_sentence(store.personas());
  require_store_sentence(store.folders());
  require_store_sentence(store.allModelSettings());
  require_store_sentence(store.setting(QStringLiteral("language")));
  require_store_sentence(store.highestId());
  const auto chats = store.chats();
  if (!chats) return require_store_error(chats.error());
  for (const ChatRecord& chat : *chats) {
    require_store_sentence(store.draftFiles(chat.id));
    require_store_sentence(store.comparedAnswers(chat.id));
    const auto messages = store.messages(chat.id);
    if (!messages) {
      require_store_error(messages.error());
      continue;
    }
    for (const MessageRecord& message : *messages) require_store_sentence(store.origin(message.id));
  }
}

void read(const QString& folder) {
  const auto store = ConversationStore::openForReading(folder);
  if (!store) return require_store_error(store.error());
  read_all(**store);
  SearchReader reader(folder);
  for (const char* text : {"answer", "답", "que \"question 101\""}) {
    require_store_sentence(reader.ask({.text = QString::fromUtf8(text)}, [] { return false; }));
  }
}

void replay(const QString& folder) {
  const auto answers = RecordedAnswers::open(folder.toStdString());
  if (!answers) return require_store_error(answers.error());
  const auto ids = (*answers)->ids();
  if (!ids) return require_store_error(ids.error());
  for (const int64_t id : *ids) require_store_sentence((*answers)->read(id));
}

void write(const QString& folder) {
  const auto store = ConversationStore::open(folder);
  if (!store) return require_store_error(store.error());
  read_all(**store);
  require_store_sentence((*store)->maintain());
  require_store_sentence((*store)->putSetting(QStringLiteral("a"), QStringLiteral("b")));
  require_store_sentence((*store)->removeChat(100));
}

/// Rescues what is left into another store.
void merge(const QString& folder) {
  (void)diagnoseStore(folder);
  static const std::string kEmpty = empty_store();
  static const ScratchFolder other;
  other.clear();
  other.write("quire.db", kEmpty);
  IdSource ids(10'000);
  require_store_sentence(mergeStore(QString::fromStdString(other.path().string()),
                                    folder + QStringLiteral("/quire.db"), ids,
                                    [](qint64, qint64) { return true; }));
}

constexpr const char* kPrefixFile = "prefix.db";

/// A prefix database whose key is always the same.
struct PrefixSample {
  std::vector<StoredBlock> blocks = samples::chain("fuzz", 6, 300);
  std::string file;
  std::string key;

  PrefixSample() {
    const ScratchFolder folder;
    {
      auto table = PrefixTable::open(folder.path() / kPrefixFile, 0);
      require(table.has_value(), "a prefix database is made");
      for (const StoredBlock& block : blocks) {
        const auto row = (*table)->insert(block, 1);
        require(row && *row > 0, "a block is stored");
        require((*table)->addOwner(*row, {PrefixOwner::Kind::kChat, 1}).has_value(), "an owner");
      }
    }
    file = content(folder.path() / kPrefixFile);
    key = content(folder.path() / (std::string(kPrefixFile) + ".key"));
  }

  static std::string content(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  /// What comes out of the file is what was put into it.
  void check(const StoredBlock& found) const {
    const bool is_known = std::any_of(blocks.begin(), blocks.end(), [&](const StoredBlock& block) {
      return block.key == found.key && block.parent == found.parent &&
             block.tokens == found.tokens && block.payload == found.payload;
    });
    require(is_known, "a block that was never stored");
  }
};

}  // namespace

void fuzz_store(std::string_view bytes) {
  static const std::string kSample = sample_store();
  static const ScratchFolder folder;
  if (bytes.empty()) return;
  constexpr void (*kUses[])(const QString&) = {read, replay, write, merge};
  const auto use = kUses[static_cast<uint8_t>(bytes[0]) % std::size(kUses)];
  folder.clear();
  folder.write("quire.db", patched(kSample, bytes.substr(1)));
  use(QString::fromStdString(folder.path().string()));
}

void fuzz_prefix(std::string_view bytes) {
  static const PrefixSample sample;
  static const ScratchFolder folder;
  folder.clear();
  folder.write(std::string(kPrefixFile) + ".key", sample.key);
  const auto path = folder.write(kPrefixFile, patched(sample.file, bytes));
  const auto table = PrefixTable::open(path, 0);
  if (!table) return;  // Errors are logged; the database works without them.
  (void)(*table)->checkStructure();
  const auto contents = (*table)->readAll();
  if (!contents) return;
  for (const BlockKey& key : contents->catalog.keys()) {
    const auto block = (*table)->read(contents->catalog.find(key)->row, key);
    if (block && *block) sample.check(**block);
  }
}

}  // namespace quire::fuzz
