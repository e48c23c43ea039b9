#include "app/store/schema.h"

#include <array>

#include "app/store/store_strings.h"

namespace quire {
namespace {

// 0 in a record ("none") is NULL in a reference's column. Times are milliseconds since 1970, UTC.
//
// References between messages, and from a chat to its head, name the chat too: they cannot leave
// it. They have no ON DELETE action, because SQLite recurses at most 1,000 deep and chats are
// longer; they are deferred, so that a chat can go together with all of its messages.
constexpr std::array kVersion1 = {
    R"(CREATE TABLE persona (
         id INTEGER PRIMARY KEY,
         name TEXT NOT NULL,
         system_prompt TEXT NOT NULL,
         color INTEGER NOT NULL,
         temperature REAL,
         preset_id TEXT NOT NULL,
         created_ms INTEGER NOT NULL
       ) STRICT)",
    R"(CREATE TABLE chat (
         id INTEGER PRIMARY KEY,
         title TEXT NOT NULL,
         title_is_automatic INTEGER NOT NULL,
         persona_id INTEGER REFERENCES persona (id) ON DELETE SET NULL,
         head_message_id INTEGER,
         color INTEGER NOT NULL,
         draft TEXT NOT NULL,
         created_ms INTEGER NOT NULL,
         active_ms INTEGER NOT NULL,
         FOREIGN KEY (id, head_message_id) REFERENCES message (chat_id, id)
           DEFERRABLE INITIALLY DEFERRED
       ) STRICT)",
    R"(CREATE TABLE message (
         id INTEGER PRIMARY KEY,
         chat_id INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
         parent_id INTEGER,
         role INTEGER NOT NULL,
         status INTEGER NOT NULL,
         text TEXT NOT NULL,
         tokens BLOB NOT NULL, -- i32, little endian
         error TEXT NOT NULL,
         model_name TEXT NOT NULL,
         model_fingerprint TEXT NOT NULL,
         seed INTEGER NOT NULL, -- the bits of an unsigned number
         temperature REAL NOT NULL,
         prompt_tokens INTEGER NOT NULL,
         cached_tokens INTEGER NOT NULL,
         output_tokens INTEGER NOT NULL,
         first_token_ms REAL NOT NULL,
         total_ms REAL NOT NULL,
         created_ms INTEGER NOT NULL,
         UNIQUE (chat_id, id),
         FOREIGN KEY (chat_id, parent_id) REFERENCES message (chat_id, id)
           DEFERRABLE INITIALLY DEFERRED
       ) STRICT)",
    "CREATE TABLE setting (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE INDEX chat_persona ON chat (persona_id)",
    "CREATE INDEX chat_head ON chat (id, head_message_id)",
    "CREATE INDEX message_parent ON message (chat_id, parent_id)",
    // Finds the answers that a kill cut off without reading every message.
    "CREATE INDEX message_streaming ON message (status) WHERE status = 1",
};

// The origins of answers. A prompt usually begins with the prompt and the answer of an earlier
// message of its chat, so only the difference is stored; whole prompts would grow with the square
// of a chat's length. The base has no foreign key: a missing base is an error when the origin is
// read.
constexpr std::array kVersion2 = {
    R"(CREATE TABLE answer_origin (
         message_id INTEGER PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
         template_hash TEXT NOT NULL,
         sampling TEXT NOT NULL, -- JSON, see generation_settings.h
         answer_end INTEGER NOT NULL,
         device_name TEXT NOT NULL,
         prompt_base_id INTEGER, -- an earlier message of the chat
         prompt_shared INTEGER NOT NULL, -- leading tokens of the base's prompt and answer
         prompt_rest BLOB NOT NULL, -- the tokens that follow: i32, little endian
         prompt_hash BLOB NOT NULL -- SHA-256 of the whole prompt, in that form
       ) STRICT)",
};

// Folders, attachments, settings of models, chats and personas. Settings are JSON objects
// (generation_settings.h, model_setting_table.h), so that fields which are unset, or unknown to
// this version, are preserved. `forked_from` refers to another chat's message and must not keep it.
constexpr std::array kVersion3 = {
    R"(CREATE TABLE folder (
         id INTEGER PRIMARY KEY,
         name TEXT NOT NULL,
         position INTEGER NOT NULL,
         is_open INTEGER NOT NULL,
         created_ms INTEGER NOT NULL
       ) STRICT)",
    "ALTER TABLE chat ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE chat ADD COLUMN archived INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE chat ADD COLUMN folder_id INTEGER REFERENCES folder (id) ON DELETE SET NULL",
    "ALTER TABLE chat ADD COLUMN unread INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE chat ADD COLUMN forked_from INTEGER",
    "ALTER TABLE chat ADD COLUMN model_path TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE chat ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'",
    "CREATE INDEX chat_folder ON chat (folder_id)",
    "ALTER TABLE persona ADD COLUMN icon TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE persona ADD COLUMN description TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE persona ADD COLUMN settings TEXT NOT NULL DEFAULT '{}'",
    "ALTER TABLE persona ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE persona ADD COLUMN position INTEGER NOT NULL DEFAULT 0",
    "UPDATE persona SET settings = json_object('temperature', temperature) "
    "WHERE temperature IS NOT NULL",
    "ALTER TABLE persona DROP COLUMN temperature",
    "ALTER TABLE message ADD COLUMN thinking_ms REAL NOT NULL DEFAULT 0",
    "ALTER TABLE message ADD COLUMN disk_tokens INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE message ADD COLUMN reused_tokens INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE model_setting (path TEXT PRIMARY KEY, settings TEXT NOT NULL, "
    "last_used_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    R"(CREATE TABLE attachment (
         id INTEGER PRIMARY KEY,
         message_id INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
         name TEXT NOT NULL,
         media_type TEXT NOT NULL,
         bytes INTEGER NOT NULL,
         text TEXT NOT NULL,
         tokens INTEGER NOT NULL
       ) STRICT)",
    "CREATE INDEX attachment_message ON attachment (message_id)",
    // Finds the origins that are built on one that is about to be removed.
    "CREATE INDEX answer_origin_base ON answer_origin (prompt_base_id)",
};

// The full-text index, search/search_index.h. Existing messages are entered later, a slice at a
// time. These statements also replace a damaged index; search_state is a table of its own. Version
// 5 rebuilt the index with the beginnings of words (search_text.h) and in pages of 1 KB: FTS5
// merges 64 pages of each level at a time, and with pages of 4 KB a slice took up to 90 ms of the
// processor, now 16.
constexpr std::array kSearchIndex = {
    "DROP TABLE IF EXISTS message_search",
    "DROP TABLE IF EXISTS chat_search",
    R"(CREATE VIRTUAL TABLE message_search USING fts5 (
         body, content = '', tokenize = 'unicode61 remove_diacritics 2'))",
    R"(CREATE VIRTUAL TABLE chat_search USING fts5 (
         title, tokenize = 'unicode61 remove_diacritics 2'))",
    "INSERT INTO message_search (message_search, rank) VALUES ('pgsz', 1000)",
    "CREATE TABLE IF NOT EXISTS search_state (key TEXT PRIMARY KEY, value INTEGER NOT NULL) "
    "STRICT, WITHOUT ROWID",
    "INSERT OR REPLACE INTO search_state SELECT 'messages_below', coalesce(max(id) + 1, 0) "
    "FROM message",
    "INSERT OR REPLACE INTO search_state SELECT 'titles_below', coalesce(max(id) + 1, 0) FROM chat",
};

// Files of drafts (`chat_id` is NULL for the draft to all panes), answers that are being compared,
// and the number of tokens that a fork shares with its source.
constexpr std::array kVersion6 = {
    R"(CREATE TABLE draft_file (
         id INTEGER PRIMARY KEY,
         chat_id INTEGER REFERENCES chat (id) ON DELETE CASCADE,
         name TEXT NOT NULL,
         media_type TEXT NOT NULL,
         bytes INTEGER NOT NULL,
         text TEXT NOT NULL,
         tokens INTEGER NOT NULL
       ) STRICT)",
    "CREATE INDEX draft_file_chat ON draft_file (chat_id)",
    R"(CREATE TABLE compared_answer (
         message_id INTEGER PRIMARY KEY REFERENCES message (id) ON DELETE CASCADE,
         chat_id INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
         position INTEGER NOT NULL,
         label TEXT NOT NULL
       ) STRICT)",
    "CREATE INDEX compared_answer_chat ON compared_answer (chat_id)",
    "ALTER TABLE message ADD COLUMN forked_tokens INTEGER NOT NULL DEFAULT 0",
};

// A message is a list of parts, and roles are an open set. search_stale lists entries of the
// full-text index that no longer match their messages, with the text that they were made from: an
// index without contents can remove an entry only if it is given that text again.
constexpr std::array kVersion7 = {
    R"(CREATE TABLE message_part (
         message_id INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
         position INTEGER NOT NULL,
         kind TEXT NOT NULL,
         payload TEXT NOT NULL,
         properties TEXT NOT NULL, -- a JSON object, or empty
         blob BLOB NOT NULL,
         PRIMARY KEY (message_id, position)
       ) STRICT)",
    R"(CREATE TABLE search_stale (
         id INTEGER PRIMARY KEY, -- of a message that may be gone
         chat_id INTEGER NOT NULL,
         body TEXT NOT NULL
       ) STRICT)",
    R"(INSERT INTO search_stale SELECT id, chat_id, text FROM message
         WHERE status <> 1 AND id IN (SELECT message_id FROM attachment))",
    R"(INSERT INTO message_part
         SELECT message_id, (SELECT count(*) FROM attachment AS b
                             WHERE b.message_id = a.message_id AND b.id < a.id),
                'attachment', text, json_object('name', name, 'media_type', media_type,
                                                'bytes', bytes, 'tokens', tokens), x''
         FROM attachment AS a ORDER BY message_id, id)",
    R"(INSERT INTO message_part
         SELECT id, (SELECT count(*) FROM attachment WHERE message_id = message.id),
                'text', text, '', x''
         FROM message ORDER BY id)",
    "DROP TABLE attachment",
    R"(CREATE TABLE message_7 (
         id INTEGER PRIMARY KEY,
         chat_id INTEGER NOT NULL REFERENCES chat (id) ON DELETE CASCADE,
         parent_id INTEGER,
         role TEXT NOT NULL,
         status INTEGER NOT NULL,
         tokens BLOB NOT NULL, -- i32, little endian
         error TEXT NOT NULL,
         model_name TEXT NOT NULL,
         model_fingerprint TEXT NOT NULL,
         seed INTEGER NOT NULL, -- the bits of an unsigned number
         temperature REAL NOT NULL,
         prompt_tokens INTEGER NOT NULL,
         cached_tokens INTEGER NOT NULL,
         disk_tokens INTEGER NOT NULL,
         reused_tokens INTEGER NOT NULL,
         forked_tokens INTEGER NOT NULL,
         output_tokens INTEGER NOT NULL,
         first_token_ms REAL NOT NULL,
         total_ms REAL NOT NULL,
         thinking_ms REAL NOT NULL,
         created_ms INTEGER NOT NULL,
         UNIQUE (chat_id, id),
         FOREIGN KEY (chat_id, parent_id) REFERENCES message (chat_id, id)
           DEFERRABLE INITIALLY DEFERRED
       ) STRICT)",
    R"(INSERT INTO message_7
         SELECT id, chat_id, parent_id, CASE role WHEN 0 THEN 'user' ELSE 'assistant' END, status,
                tokens, error, model_name, model_fingerprint, seed, temperature, prompt_tokens,
                cached_tokens, disk_tokens, reused_tokens, forked_tokens, output_tokens,
                first_token_ms, total_ms, thinking_ms, created_ms
         FROM message ORDER BY id)",
    "DROP TABLE message",
    "ALTER TABLE message_7 RENAME TO message",
    "CREATE INDEX message_parent ON message (chat_id, parent_id)",
    "CREATE INDEX message_streaming ON message (status) WHERE status = 1",
    // Finds the copies of a message in forks, which have the same time.
    "CREATE INDEX message_created ON message (created_ms)",
};

// Answers of imported files, whose token ids another program may have written.
constexpr std::array kVersion8 = {
    "ALTER TABLE message ADD COLUMN imported INTEGER NOT NULL DEFAULT 0",
};

// The LoRA adapters of personas, and of the answers that were made with them: paths.
constexpr std::array kVersion9 = {
    "ALTER TABLE persona ADD COLUMN adapter TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE answer_origin ADD COLUMN adapter TEXT NOT NULL DEFAULT ''",
};

// How many guesses of next tokens were computed for an answer, and how many of them were right.
constexpr std::array kVersion10 = {
    "ALTER TABLE message ADD COLUMN drafted_tokens INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE message ADD COLUMN accepted_tokens INTEGER NOT NULL DEFAULT 0",
};

// The message of a chat that is being edited, with its unsaved text.
constexpr std::array kVersion11 = {
    R"(CREATE TABLE message_edit (
         chat_id INTEGER PRIMARY KEY REFERENCES chat (id) ON DELETE CASCADE,
         message_id INTEGER NOT NULL REFERENCES message (id) ON DELETE CASCADE,
         text TEXT NOT NULL
       ) STRICT)",
    "CREATE INDEX message_edit_message ON message_edit (message_id)",
};

constexpr std::array kMigrations = {
    Migration{kVersion1},    Migration{kVersion2},  Migration{kVersion3}, Migration{kSearchIndex},
    Migration{kSearchIndex}, Migration{kVersion6},  Migration{kVersion7}, Migration{kVersion8},
    Migration{kVersion9},    Migration{kVersion10}, Migration{kVersion11}};

// The table that version 1 lacks. A connection that only reads gets temporary tables and views in
// place of the file's; nothing is written to the file.
constexpr const char* kReadAsVersion2 =
    "CREATE TEMP TABLE answer_origin (message_id INTEGER PRIMARY KEY, template_hash, sampling, "
    "answer_end, device_name, prompt_base_id, prompt_shared, prompt_rest, prompt_hash, adapter)";

// What versions 1 and 2 lack.
constexpr std::array kReadAsVersion3 = {
    R"(CREATE TEMP VIEW chat AS SELECT *, 0 AS pinned, 0 AS archived, NULL AS folder_id,
         0 AS unread, NULL AS forked_from, '' AS model_path, '{}' AS settings FROM main.chat)",
    R"(CREATE TEMP VIEW persona AS SELECT *, '' AS icon, '' AS description,
         CASE WHEN temperature IS NULL THEN '{}'
              ELSE json_object('temperature', temperature) END AS settings,
         0 AS pinned, 0 AS position, '' AS adapter FROM main.persona)",
    "CREATE TEMP TABLE folder (id INTEGER PRIMARY KEY, name, position, is_open, created_ms)",
    "CREATE TEMP TABLE model_setting (path TEXT PRIMARY KEY, settings, last_used_ms)",
    "CREATE TEMP TABLE attachment (id INTEGER PRIMARY KEY, message_id, name, media_type, bytes, "
    "text, tokens)",
};

// The columns that versions before 9 lack, of tables that they have.
constexpr const char* kOriginAsVersion9 =
    "CREATE TEMP VIEW answer_origin AS SELECT *, '' AS adapter FROM main.answer_origin";
constexpr const char* kPersonaAsVersion9 =
    "CREATE TEMP VIEW persona AS SELECT *, '' AS adapter FROM main.persona";

// The tables that versions before 6 lack.
constexpr std::array kReadAsVersion6 = {
    "CREATE TEMP TABLE draft_file (id INTEGER PRIMARY KEY, chat_id, name, media_type, bytes, text, "
    "tokens)",
    "CREATE TEMP TABLE compared_answer (message_id INTEGER PRIMARY KEY, chat_id, position, label)",
};

// The table that versions before 11 lack.
constexpr const char* kReadAsVersion11 =
    "CREATE TEMP TABLE message_edit (chat_id INTEGER PRIMARY KEY, message_id, text)";

// The messages of older versions with the columns that the newest has, by their version. Messages
// before version 7 have no parts; columns that depend on their version are appended.
const std::string kMessageBeforeVersion7 =
    R"(CREATE TEMP VIEW message AS
         SELECT id, chat_id, parent_id, CASE role WHEN 0 THEN 'user' ELSE 'assistant' END AS role,
                status, tokens, error, model_name, model_fingerprint, seed, temperature,
                prompt_tokens, cached_tokens, output_tokens, first_token_ms, total_ms, created_ms,
                0 AS imported, 0 AS drafted_tokens, 0 AS accepted_tokens, )";
constexpr const char* kMessageOfVersion7 =
    "CREATE TEMP VIEW message AS SELECT *, 0 AS imported, 0 AS drafted_tokens, "
    "0 AS accepted_tokens FROM main.message";
// Also of version 9.
constexpr const char* kMessageOfVersion8 =
    "CREATE TEMP VIEW message AS SELECT *, 0 AS drafted_tokens, 0 AS accepted_tokens "
    "FROM main.message";
constexpr const char* kPartsAsVersion7 =
    R"(CREATE TEMP VIEW message_part AS
         SELECT id AS message_id,
                (SELECT count(*) FROM attachment AS b WHERE b.message_id = m.id) AS position,
                'text' AS kind, text AS payload, '' AS properties, x'' AS blob
         FROM main.message AS m
         UNION ALL
         SELECT message_id, (SELECT count(*) FROM attachment AS b
                             WHERE b.message_id = a.message_id AND b.id < a.id),
                'attachment', text, json_object('name', name, 'media_type', media_type,
                                                'bytes', bytes, 'tokens', tokens), x''
         FROM attachment AS a)";

Result<int64_t> schemaVersion(const Database& database) {
  return database.number("PRAGMA user_version");
}

Result<void> checkReferences(const Database& database) {
  const auto table = database.text("PRAGMA foreign_key_check");
  if (!table) return table.error();
  if (table->empty()) return {};
  return storeError(
      ErrorCode::kCorruptFile,
      StoreWords::tr("The table \"%1\" of \"%2\" refers to rows that do not exist. Put a "
                     "backup in its place, or move it away to start with an empty history.")
          .arg(QString::fromStdString(*table), pathOf(database)));
}

Result<void> runAll(const Database& database, std::span<const char* const> statements) {
  for (const char* statement : statements) {
    if (auto done = database.exec(statement); !done) return done;
  }
  return {};
}

Result<void> apply(const Database& database, const Migration& migration, int version) {
  if (auto done = runAll(database, migration.statements); !done) return done;
  if (auto checked = checkReferences(database); !checked) return checked;
  return database.exec("PRAGMA application_id=" + std::to_string(kApplicationId) +
                       "; PRAGMA user_version=" + std::to_string(version));
}

}  // namespace

std::span<const Migration> schemaMigrations() {
  return kMigrations;
}

std::span<const char* const> searchIndexStatements() {
  return kSearchIndex;
}

Result<void> checkSchemaVersion(const Database& database) {
  const auto version = schemaVersion(database);
  if (!version) return version.error();
  const int newest = static_cast<int>(schemaMigrations().size());
  if (*version <= newest) return {};
  return storeError(
      ErrorCode::kUnsupported,
      StoreWords::tr("The file \"%1\" was written by a newer Quire (its version is %2, this "
                     "program knows %3). Update Quire, or choose another folder with --data.")
          .arg(pathOf(database))
          .arg(*version)
          .arg(newest));
}

Result<void> readAsNewest(const Database& database) {
  const auto version = schemaVersion(database);
  if (!version) return version.error();
  if (*version < 2) {
    if (auto done = database.exec(kReadAsVersion2); !done) return done;
  }
  if (*version < 3) {
    if (auto done = runAll(database, kReadAsVersion3); !done) return done;
  }
  if (*version < 6) {
    if (auto done = runAll(database, kReadAsVersion6); !done) return done;
  }
  if (*version >= 2 && *version < 9) {
    if (auto done = database.exec(kOriginAsVersion9); !done) return done;
  }
  if (*version >= 3 && *version < 9) {
    if (auto done = database.exec(kPersonaAsVersion9); !done) return done;
  }
  if (*version < 11) {
    if (auto done = database.exec(kReadAsVersion11); !done) return done;
  }
  if (*version >= 10) return {};
  if (*version >= 8) return database.exec(kMessageOfVersion8);
  if (*version == 7) return database.exec(kMessageOfVersion7);
  const std::string columns =
      (*version < 3 ? "0.0 AS thinking_ms, 0 AS disk_tokens, 0 AS reused_tokens, "
                    : "thinking_ms, disk_tokens, reused_tokens, ") +
      std::string(*version < 6 ? "0 AS forked_tokens" : "forked_tokens");
  if (auto done = database.exec(kMessageBeforeVersion7 + columns + " FROM main.message"); !done)
    return done;
  return database.exec(kPartsAsVersion7);
}

Result<void> migrate(const Database& database, std::span<const Migration> migrations) {
  const int newest = static_cast<int>(migrations.size());
  for (int target = 1; target <= newest; ++target) {
    const auto seen = schemaVersion(database);
    if (!seen) return seen.error();
    if (*seen >= target) continue;
    auto migrated = database.transaction([&]() -> Result<void> {
      // Another process may have migrated the file while this one waited for the lock.
      const auto version = schemaVersion(database);
      if (!version) return version.error();
      if (*version >= target) return {};
      return apply(database, migrations[static_cast<size_t>(target - 1)], target);
    });
    if (!migrated) return migrated;
  }
  return {};
}

}  // namespace quire
