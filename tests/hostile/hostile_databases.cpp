// Stores of conversations and of computed prefixes that are not what they say.
#include <sqlite3.h>

#include <QDir>

#include "app/store/conversation_store.h"
#include "tests/app/store/sample_records.h"
#include "tests/hostile/hostile_folder.h"
#include "tests/support/forged_database.h"

namespace quire::test {
namespace {

namespace fs = std::filesystem;

constexpr RecordId kChat = 100, kQuestion = 101, kAnswer = 102;

/// A store of one answer, which `quire-cli replay` lists.
void writeStore(const fs::path& folder) {
  const auto store = ConversationStore::open(QString::fromStdString(folder.string()));
  if (!store) std::abort();
  const bool is_begun =
      (*store)
          ->beginTurn(samples::chat(kChat, kAnswer), samples::question(kQuestion, kChat),
                      samples::emptyAnswer(kAnswer, kChat, kQuestion))
          .has_value();
  const OriginRecord origin = {.templateHash = QStringLiteral("00"), .promptTokens = {1, 2, 3}};
  const bool is_kept =
      (*store)
          ->finishAnswer(samples::finishedAnswer(kAnswer, kChat, kQuestion), origin)
          .has_value();
  if (!is_begun || !is_kept) std::abort();
}

HostileFile& addStore(HostileFolder& to, const std::string& title, const std::string& place,
                      const std::string& sql) {
  HostileFile& made = to.folder("store", title, place, "quire.db");
  writeStore(made.path);
  if (!sql.empty()) changeDatabase(made.path / "quire.db", sql);
  return made.as(HostileUse::kReplay);
}

/// The same with other bytes.
template <typename Damage>
HostileFile& addDamaged(HostileFolder& to, const std::string& title, const std::string& place,
                        Damage damage) {
  HostileFile& made = addStore(to, title, place, "PRAGMA wal_checkpoint(TRUNCATE)");
  std::string bytes = readFile(made.path / "quire.db");
  damage(bytes);
  writeFile(made.path / "quire.db", bytes);
  fs::remove(made.path / "quire.db-wal");
  fs::remove(made.path / "quire.db-shm");
  return made;
}

/// `table` becomes a view of all its columns that never ends.
std::string endless(const std::string& table) {
  return "PRAGMA foreign_keys=OFF; PRAGMA legacy_alter_table=ON; ALTER TABLE " + table +
         " RENAME TO hidden; CREATE VIEW " + table +
         " AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) "
         "SELECT hidden.* FROM n, hidden";
}

void addSchemas(HostileFolder& to) {
  addStore(to, "whole", "", "").ends(HostileEnd::kAccepted);
  addStore(to, "L-chat-is-an-endless-view", "chat|not those that Quire made", endless("chat"))
      .ofRow("L");
  addStore(to, "L-message-is-an-endless-view", "message|not those that Quire made",
           endless("message"))
      .ofRow("L");
  addStore(to, "L-origin-is-an-endless-view", "answer_origin|not those that Quire made",
           endless("answer_origin"))
      .ofRow("L");
  addStore(to, "L-trigger-that-counts", "trigger|not those that Quire made",
           "CREATE TRIGGER t AFTER UPDATE ON chat BEGIN UPDATE chat SET title = 'x'; END")
      .ofRow("L");
  addStore(to, "L-table-more", "other|not those that Quire made", "CREATE TABLE other (x)")
      .ofRow("L");
  addStore(to, "L-index-on-an-expression", "bad|not those that Quire made",
           "CREATE INDEX bad ON chat (length(printf('%1000000d', id)))")
      .ofRow("L");
  addStore(to, "L-virtual-table", "other|not those that Quire made",
           "CREATE VIRTUAL TABLE other USING fts5 (x)")
      .ofRow("L");
  addStore(to, "table-missing", "answer_origin|not those that Quire made",
           "PRAGMA foreign_keys=OFF; DROP TABLE answer_origin");
  addStore(to, "column-missing", "message|column|not those that Quire made",
           "ALTER TABLE message DROP COLUMN thinking_ms");
  addStore(to, "newer", "newer", "PRAGMA user_version=9999");
  addStore(to, "version-negative", "", "PRAGMA user_version=-1");
  addStore(to, "another-program's", "", "PRAGMA application_id=1234");
}

void addValues(HostileFolder& to) {
  const std::string deep = repeated("[", 300'000) + repeated("]", 300'000);
  const auto sampling = [&](const std::string& title, const std::string& json) {
    addStore(to, title, "sampling", "UPDATE answer_origin SET sampling = '" + json + "'")
        .ends(HostileEnd::kEither)
        .ofRow("14");
  };
  sampling("14-sampling-nested", "{\"a\":" + deep + "}");
  sampling("14-sampling-nested-as-temperature", "{\"temperature\":" + deep + "}");
  sampling("14-sampling-open", repeated("{\"a\":", 300'000));
  sampling("14-sampling-no-json", "nonsense");
  sampling("14-sampling-of-escapes", "{\"\x1b[2J\u202e\": 1}");
  addStore(to, "base-is-itself", "",
           "UPDATE answer_origin SET prompt_base_id = 102, prompt_shared = 1000000000")
      .ends(HostileEnd::kEither);
  addStore(to, "rest-of-odd-length", "", "UPDATE answer_origin SET prompt_rest = x'010203'")
      .ends(HostileEnd::kEither);
  addStore(to, "tokens-of-50-megabytes", "", "UPDATE message SET tokens = zeroblob(50000000)")
      .ends(HostileEnd::kEither);
  addStore(to, "parents-in-a-circle", "", "UPDATE message SET parent_id = 102 WHERE id = 101")
      .ends(HostileEnd::kEither);
  addStore(to, "H-names-of-escapes", "",
           "UPDATE message SET model_name = char(27) || '[2J' || char(0x202e) || char(7)")
      .ends(HostileEnd::kEither)
      .ofRow("H");
  addStore(to, "settings-nested", "", "UPDATE chat SET settings = '" + deep + "'")
      .ends(HostileEnd::kEither);
}

void addBytes(HostileFolder& to) {
  addDamaged(to, "no-database", "", [](std::string& bytes) { bytes = "This is no database."; });
  addDamaged(to, "empty", "", [](std::string& bytes) { bytes.clear(); });
  addDamaged(to, "zeros", "", [](std::string& bytes) { bytes.assign(bytes.size(), '\0'); });
  addDamaged(to, "header-only", "", [](std::string& bytes) { bytes.resize(100); });
  addDamaged(to, "cut-in-half", "", [](std::string& bytes) { bytes.resize(bytes.size() / 2); });
  addDamaged(to, "page-size-one", "", [](std::string& bytes) {
    bytes.replace(16, 2, "\0\1", 2);
  }).ends(HostileEnd::kEither);
  for (int i = 0; i < 8; ++i) {
    addDamaged(to, "random-" + std::to_string(i), "", [&](std::string& bytes) {
      for (int k = 0; k < 200; ++k)
        bytes[100 + to.random() % (bytes.size() - 100)] = static_cast<char>(to.random());
    }).ends(HostileEnd::kEither);
  }
  HostileFile& folder = to.folder("store", "database-is-a-folder", "", "quire.db");
  fs::create_directories(folder.as(HostileUse::kReplay).path / "quire.db");
  to.folder("store", "nothing", "", "nothing").as(HostileUse::kReplay);
}

/// Pages that form no trees: endless rows, and values that no page holds.
void addTrees(HostileFolder& to) {
  sharePages(addStore(to, "pages-shared", "damaged", "").path / "quire.db", "chat");
  HostileFile& endless = addStore(to, "overflow-to-itself", "", "").ends(HostileEnd::kEither);
  overflowToItself(endless.path / "quire.db", 40'000'000);
}

}  // namespace

void changeDatabase(const fs::path& database, const std::string& sql) {
  sqlite3* connection = nullptr;
  char* error = nullptr;
  if (sqlite3_open(database.c_str(), &connection) != SQLITE_OK ||
      sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &error) != SQLITE_OK) {
    std::fprintf(stderr, "%s: %s\n", database.c_str(), error ? error : "cannot be opened");
    std::abort();
  }
  sqlite3_close(connection);
}

void addDatabases(HostileFolder& to) {
  addSchemas(to);
  addValues(to);
  addBytes(to);
  addTrees(to);
  // Of the computed prefixes: K, whose payloads are changed, is made by the test itself.
  const auto prefix = [&](const char* title, const std::string& bytes) -> HostileFile& {
    return to.file("prefix", title, "", bytes).as(HostileUse::kPrefix);
  };
  prefix("text.db", "This is no database of prefixes.");
  prefix("zeros.db", std::string(8192, '\0'));
  prefix("header.db", std::string("SQLite format 3\0", 16) + std::string(84, '\1'))
      .ends(HostileEnd::kEither);
  HostileFile& other = to.entry("prefix", "conversations.db", "").as(HostileUse::kPrefix);
  changeDatabase(other.path,
                 "CREATE TABLE chat (id); INSERT INTO chat VALUES (1); PRAGMA application_id=7");
  HostileFile& view = to.entry("prefix", "endless-view.db", "").as(HostileUse::kPrefix);
  changeDatabase(
      view.path,
      "CREATE VIEW block AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) "
      "SELECT x FROM n");
}

}  // namespace quire::test
