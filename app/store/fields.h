#pragma once

#include <limits>
#include <tuple>

#include "app/store/records.h"

namespace quire {

/// One field of a record: its column, its key in an export and its member.
template <typename Record, typename T>
struct Field {
  const char* column;
  const char* key;  ///< Null if it is not exported.
  T Record::*member;
  const char* value = "?";  ///< The SQL expression for the value.
  int low = 0;              ///< The smallest number that an import accepts.
};

/// For clang 14, which does not deduce an aggregate's type.
template <typename Record, typename T>
Field(const char*, const char*, T Record::*, const char* = "?", int = 0) -> Field<Record, T>;

/// One JSON object as text.
struct JsonText {
  QString text = QStringLiteral("{}");
  bool operator==(const JsonText&) const = default;
};

/// The value of a reference: 0, for none, becomes NULL.
inline constexpr const char* kReference = "nullif(?, 0)";

/// The table and the fields of a record; the first is its key. Used to read and write rows
/// (record_rows.h), exports and imports (transfer/export_json.h).
template <typename Record>
struct Fields;

template <>
struct Fields<PersonaRecord> {
  using R = PersonaRecord;
  static constexpr const char* kTable = "persona";
  static constexpr auto kAll = std::tuple{
      Field{"id", "id", &R::id},
      Field{"name", "name", &R::name},
      Field{"system_prompt", "system_prompt", &R::systemPrompt},
      Field{"description", "description", &R::description},
      Field{"icon", "icon", &R::icon},
      Field{"color", "color", &R::color},
      Field{"settings", "settings", &R::settings},
      Field{"pinned", "pinned", &R::pinned},
      Field{"position", "position", &R::position, "?", std::numeric_limits<int>::min()},
      Field{"preset_id", "preset", &R::presetId},
      // Of this machine: an imported persona must not name files to read.
      Field{"adapter", nullptr, &R::adapterPath},
      Field{"created_ms", "created_ms", &R::createdMs},
  };
};

template <>
struct Fields<FolderRecord> {
  using R = FolderRecord;
  static constexpr const char* kTable = "folder";
  static constexpr auto kAll = std::tuple{
      Field{"id", "id", &R::id},
      Field{"name", "name", &R::name},
      Field{"position", "position", &R::position, "?", std::numeric_limits<int>::min()},
      Field{"is_open", "is_open", &R::isOpen},
      Field{"created_ms", "created_ms", &R::createdMs},
  };
};

template <>
struct Fields<ChatRecord> {
  using R = ChatRecord;
  static constexpr const char* kTable = "chat";
  static constexpr auto kAll = std::tuple{
      Field{"id", "id", &R::id},
      Field{"title", "title", &R::title},
      Field{"title_is_automatic", "title_is_automatic", &R::titleIsAutomatic},
      // A persona or folder that no longer exists is stored as none.
      Field{"persona_id", "persona", &R::personaId, "(SELECT id FROM persona WHERE id = ?)"},
      Field{"folder_id", "folder", &R::folderId, "(SELECT id FROM folder WHERE id = ?)"},
      Field{"head_message_id", "head", &R::headMessageId, kReference},
      Field{"color", "color", &R::color},
      Field{"draft", "draft", &R::draft},
      Field{"created_ms", "created_ms", &R::createdMs},
      Field{"active_ms", "active_ms", &R::activeMs},
      Field{"pinned", "pinned", &R::pinned},
      Field{"archived", "archived", &R::archived},
      Field{"unread", "unread", &R::unread},
      Field{"forked_from", "forked_from", &R::forkedFrom, kReference},
      Field{"model_path", "model_path", &R::modelPath},
      Field{"settings", "settings", &R::settings},
  };
};

template <>
struct Fields<MessageRecord> {
  using R = MessageRecord;
  static constexpr int kNumFixed = 5;  ///< The first fields, which never change.
  static constexpr const char* kTable = "message";
  static constexpr auto kAll = std::tuple{
      Field{"id", "id", &R::id},
      Field{"chat_id", nullptr, &R::chatId},
      Field{"parent_id", "parent", &R::parentId, kReference},
      Field{"role", "role", &R::role},
      Field{"created_ms", "created_ms", &R::createdMs},
      Field{"status", "status", &R::status},
      Field{"tokens", "tokens", &R::tokens},
      Field{"error", "error", &R::error},
      Field{"model_name", "model", &R::modelName},
      Field{"model_fingerprint", "model_fingerprint", &R::modelFingerprint},
      Field{"seed", "seed", &R::seed},
      Field{"temperature", "temperature", &R::temperature},
      Field{"prompt_tokens", "prompt_tokens", &R::promptTokens},
      Field{"cached_tokens", "cached_tokens", &R::cachedTokens},
      Field{"disk_tokens", "disk_tokens", &R::diskTokens},
      Field{"reused_tokens", "reused_tokens", &R::reusedTokens},
      Field{"forked_tokens", "forked_tokens", &R::forkedTokens},
      Field{"output_tokens", "output_tokens", &R::outputTokens},
      Field{"drafted_tokens", "drafted_tokens", &R::draftedTokens},
      Field{"accepted_tokens", "accepted_tokens", &R::acceptedTokens},
      Field{"first_token_ms", "first_token_ms", &R::firstTokenMs},
      Field{"total_ms", "total_ms", &R::totalMs},
      Field{"thinking_ms", "thinking_ms", &R::thinkingMs},
      Field{"imported", nullptr, &R::imported},
  };
};

template <>
struct Fields<AttachmentRecord> {
  using R = AttachmentRecord;
  static constexpr const char* kTable = "draft_file";
  static constexpr auto kAll = std::tuple{
      Field{"name", "name", &R::name},       Field{"media_type", "media_type", &R::mediaType},
      Field{"bytes", "bytes", &R::bytes},    Field{"text", "text", &R::text},
      Field{"tokens", "tokens", &R::tokens},
  };
};

template <>
struct Fields<ComparedAnswer> {
  using R = ComparedAnswer;
  static constexpr const char* kTable = "compared_answer";
  static constexpr auto kAll = std::tuple{
      Field{"message_id", "message", &R::messageId},
      Field{"label", "label", &R::label},
  };
};

/// Calls `visit(field)` for each field of a record.
template <typename Record, typename Visit>
void forEachField(const Visit& visit) {
  std::apply([&](const auto&... fields) { (visit(fields), ...); }, Fields<Record>::kAll);
}

template <typename Record>
inline constexpr int kNumFields = std::tuple_size_v<decltype(Fields<Record>::kAll)>;

}  // namespace quire
