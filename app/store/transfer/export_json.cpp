#include "app/store/transfer/export_json.h"

#include <algorithm>
#include <limits>

#include "app/store/bounded_json.h"
#include "app/store/model_setting_table.h"

namespace quire::export_json {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxSettingsBytes = 512 * 1024;
constexpr int kMaxSettingsDepth = 17;
constexpr int kMaxInt = std::numeric_limits<int>::max();
/// Ids and times beyond this would not survive QML's numbers.
constexpr int64_t kMaxId = int64_t{1} << 53;

std::string text(const QString& value) {
  return value.toStdString();
}

Json tokens(const QList<qint32>& ids) {
  return Json(std::vector<int32_t>(ids.begin(), ids.end()));
}

Json settingsObject(const QString& json) {
  auto object = parseBounded(json.toStdString(), kMaxSettingsBytes, kMaxSettingsDepth);
  return object && object->is_object() ? std::move(*object) : Json::object();
}

Json origin(const origin_table::StoredOrigin& stored) {
  return {{"template_hash", text(stored.templateHash)},
          {"sampling", settingsObject(stored.sampling)},
          {"end", stored.end},
          {"device", text(stored.deviceName)},
          {"prompt_base", stored.baseId},
          {"prompt_shared", stored.numShared},
          {"prompt_rest", tokens(stored.rest)},
          {"prompt_sha256", stored.promptHash.toHex().toStdString()}};
}

Json attachment(const AttachmentRecord& record) {
  return {{"name", text(record.name)},
          {"media_type", text(record.mediaType)},
          {"bytes", record.bytes},
          {"text", text(record.text)},
          {"tokens", record.tokens}};
}

Json part(const MessagePart& record) {
  Json object = {{"kind", text(record.kind)}, {"text", text(record.payload)}};
  if (!record.properties.isEmpty()) {
    object["properties"] = settingsObject(QString::fromUtf8(record.properties));
  }
  if (!record.blob.isEmpty()) object["data"] = record.blob.toBase64().toStdString();
  return object;
}

/// Reads one field after another; the first that is not as it should be is the error.
class ExportFields {
 public:
  explicit ExportFields(const Json& object) : m_object(object) {
    if (!object.is_object()) m_wrong = "{";
  }

  QString text(const char* key) {
    const Json* field = find(key);
    if (field == nullptr) return {};
    if (!field->is_string()) return fail(key), QString();
    return QString::fromStdString(field->get_ref<const std::string&>());
  }
  int64_t number(const char* key, int64_t low, int64_t high, int64_t missing = 0) {
    const Json* field = find(key);
    if (field == nullptr) return missing;
    const bool fits = field->is_number_integer() &&
                      !(field->is_number_unsigned() && field->get<uint64_t>() > kTop);
    const int64_t value = fits ? field->get<int64_t>() : low;
    if (!fits || value < low || value > high) return fail(key), missing;
    return value;
  }
  int count(const char* key) { return static_cast<int>(number(key, 0, kMaxInt)); }
  RecordId id(const char* key) { return number(key, 0, kMaxId); }
  /// One that is wanted: 0 stands for none.
  RecordId ownId(const char* key) {
    const RecordId own = id(key);
    if (own == 0) fail(key);
    return own;
  }
  uint64_t unsignedNumber(const char* key) {
    const Json* field = find(key);
    if (field == nullptr) return 0;
    if (!field->is_number_unsigned()) return fail(key), 0;
    return field->get<uint64_t>();
  }
  double real(const char* key) {
    const Json* field = find(key);
    if (field == nullptr) return 0.0;
    if (!field->is_number()) return fail(key), 0.0;
    return field->get<double>();
  }
  bool flag(const char* key, bool missing = false) {
    const Json* field = find(key);
    if (field == nullptr) return missing;
    if (!field->is_boolean()) return fail(key), missing;
    return field->get<bool>();
  }
  QList<qint32> tokens(const char* key) {
    QList<qint32> ids;
    const Json* field = find(key);
    if (field == nullptr) return ids;
    if (!field->is_array()) return fail(key), ids;
    for (const Json& id : *field) {
      if (!id.is_number_integer() || id.get<int64_t>() < 0 || id.get<int64_t>() > kMaxInt) {
        return fail(key), QList<qint32>();
      }
      ids.append(static_cast<qint32>(id.get<int64_t>()));
    }
    return ids;
  }
  /// An object of settings, as it is stored.
  QString settings(const char* key) {
    const Json* field = find(key);
    if (field == nullptr) return QStringLiteral("{}");
    if (!field->is_object()) return fail(key), QStringLiteral("{}");
    return QString::fromStdString(dumpJson(*field));
  }
  const Json* list(const char* key) {
    const Json* field = find(key);
    if (field != nullptr && !field->is_array()) fail(key);
    return field != nullptr && field->is_array() ? field : nullptr;
  }
  const Json* object(const char* key) { return find(key); }

  Result<void> finish() const {
    if (m_wrong.empty()) return {};
    return Error{ErrorCode::kCorruptFile, "the field \"" + m_wrong + "\" is not what it should be"};
  }

 private:
  static constexpr uint64_t kTop = std::numeric_limits<int64_t>::max();

  const Json* find(const char* key) const {
    if (!m_object.is_object()) return nullptr;
    const auto found = m_object.find(key);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
  }
  void fail(const char* key) {
    if (m_wrong.empty()) m_wrong = key;
  }

  const Json& m_object;
  std::string m_wrong;
};

Result<origin_table::StoredOrigin> readOrigin(const Json& object) {
  ExportFields fields(object);
  origin_table::StoredOrigin stored;
  stored.templateHash = fields.text("template_hash");
  stored.sampling = fields.settings("sampling");
  stored.end = static_cast<int>(fields.number("end", 0, static_cast<int>(AnswerEnd::CutOff)));
  stored.deviceName = fields.text("device");
  stored.baseId = fields.id("prompt_base");
  stored.numShared = fields.count("prompt_shared");
  stored.rest = fields.tokens("prompt_rest");
  stored.promptHash = QByteArray::fromHex(fields.text("prompt_sha256").toLatin1());
  if (auto finished = fields.finish(); !finished) return finished.error();
  return stored;
}

Result<AttachmentRecord> readAttachment(const Json& object) {
  ExportFields fields(object);
  AttachmentRecord record;
  record.name = fields.text("name");
  record.mediaType = fields.text("media_type");
  record.bytes = fields.number("bytes", 0, kMaxId);
  record.text = fields.text("text");
  record.tokens = fields.count("tokens");
  if (auto finished = fields.finish(); !finished) return finished.error();
  return record;
}

Result<MessagePart> readPart(const Json& object) {
  ExportFields fields(object);
  MessagePart part{.kind = fields.text("kind"), .payload = fields.text("text")};
  if (fields.object("properties") != nullptr) {
    part.properties = fields.settings("properties").toUtf8();
  }
  part.blob = QByteArray::fromBase64(fields.text("data").toLatin1());
  if (auto finished = fields.finish(); !finished) return finished.error();
  return part;
}

/// Version 1 had one text and a list of attachments.
Result<void> readVersion1(ExportFields& fields, MessageRecord& message) {
  message.setText(fields.text("text"));
  const Json* files = fields.list("attachments");
  if (files == nullptr) return {};
  QList<AttachmentRecord> attachments;
  for (const Json& file : *files) {
    auto attachment = readAttachment(file);
    if (!attachment) return attachment.error();
    attachments.append(std::move(*attachment));
  }
  message.setAttachments(attachments);
  return {};
}

Result<void> readParts(ExportFields& fields, MessageRecord& message) {
  const Json* parts = fields.list("parts");
  if (parts == nullptr) return readVersion1(fields, message);
  for (const Json& one : *parts) {
    auto part = readPart(one);
    if (!part) return part.error();
    message.parts.append(std::move(*part));
  }
  return {};
}

void readContent(ExportFields& fields, MessageRecord& message) {
  message.tokens = fields.tokens("tokens");
  message.error = fields.text("error");
  message.modelName = fields.text("model");
  message.modelFingerprint = fields.text("model_fingerprint");
  message.seed = fields.unsignedNumber("seed");
  message.temperature = fields.real("temperature");
  message.promptTokens = fields.count("prompt_tokens");
  message.cachedTokens = fields.count("cached_tokens");
  message.diskTokens = fields.count("disk_tokens");
  message.reusedTokens = fields.count("reused_tokens");
  message.forkedTokens = fields.count("forked_tokens");
  message.outputTokens = fields.count("output_tokens");
  message.firstTokenMs = fields.real("first_token_ms");
  message.totalMs = fields.real("total_ms");
  message.thinkingMs = fields.real("thinking_ms");
}

Result<BundledMessage> readMessage(const Json& object) {
  ExportFields fields(object);
  BundledMessage bundled;
  MessageRecord& message = bundled.message;
  message.id = fields.ownId("id");
  message.parentId = fields.id("parent");
  message.role = {fields.text("role")};
  if (message.role.name.isEmpty()) message.role = MessageRole::User;
  message.status = static_cast<MessageStatus>(
      fields.number("status", 0, static_cast<int>(MessageStatus::Failed)));
  message.createdMs = fields.number("created_ms", 0, kMaxId);
  readContent(fields, message);
  if (auto read = readParts(fields, message); !read) return read.error();
  if (const Json* made = fields.object("origin")) {
    auto stored = readOrigin(*made);
    if (!stored) return stored.error();
    bundled.origin = std::move(*stored);
  }
  if (auto finished = fields.finish(); !finished) return finished.error();
  return bundled;
}

ChatRecord readChatRow(ExportFields& fields) {
  ChatRecord chat;
  chat.id = fields.id("id");
  chat.title = fields.text("title");
  chat.titleIsAutomatic = fields.flag("title_is_automatic", true);
  chat.personaId = fields.id("persona");
  chat.folderId = fields.id("folder");
  chat.headMessageId = fields.id("head");
  chat.color = fields.count("color");
  chat.draft = fields.text("draft");
  chat.createdMs = fields.number("created_ms", 0, kMaxId);
  chat.activeMs = fields.number("active_ms", 0, kMaxId);
  chat.pinned = fields.flag("pinned");
  chat.archived = fields.flag("archived");
  chat.unread = fields.flag("unread");
  chat.forkedFrom = fields.id("forked_from");
  chat.modelPath = fields.text("model_path");
  chat.settings = generationSettingsFromJson(fields.settings("settings"));
  return chat;
}

}  // namespace

Json toJson(const PersonaRecord& persona) {
  return {{"id", persona.id},
          {"name", text(persona.name)},
          {"system_prompt", text(persona.systemPrompt)},
          {"description", text(persona.description)},
          {"icon", text(persona.icon)},
          {"color", persona.color},
          {"settings", settingsObject(quire::toJson(persona.settings))},
          {"pinned", persona.pinned},
          {"position", persona.position},
          {"preset", text(persona.presetId)},
          {"created_ms", persona.createdMs}};
}

Json toJson(const FolderRecord& folder) {
  return {{"id", folder.id},
          {"name", text(folder.name)},
          {"position", folder.position},
          {"is_open", folder.isOpen},
          {"created_ms", folder.createdMs}};
}

Json toJson(const ModelSettings& settings) {
  return {{"path", text(settings.path)},
          {"settings", settingsObject(model_setting_table::toJson(settings))},
          {"last_used_ms", settings.lastUsedMs}};
}

Json toJson(const ChatRecord& chat) {
  return {{"id", chat.id},
          {"title", text(chat.title)},
          {"title_is_automatic", chat.titleIsAutomatic},
          {"persona", chat.personaId},
          {"folder", chat.folderId},
          {"head", chat.headMessageId},
          {"color", chat.color},
          {"draft", text(chat.draft)},
          {"created_ms", chat.createdMs},
          {"active_ms", chat.activeMs},
          {"pinned", chat.pinned},
          {"archived", chat.archived},
          {"unread", chat.unread},
          {"forked_from", chat.forkedFrom},
          {"model_path", text(chat.modelPath)},
          {"settings", settingsObject(quire::toJson(chat.settings))}};
}

Json toJson(const ChatBundle& bundle) {
  Json object = toJson(bundle.chat);
  for (const AttachmentRecord& file : bundle.draftFiles) {
    object["draft_files"].push_back(attachment(file));
  }
  for (const ComparedAnswer& answer : bundle.compared) {
    object["compared"].push_back({{"message", answer.messageId}, {"label", text(answer.label)}});
  }
  return object;
}

Json toJson(const BundledMessage& bundled) {
  const MessageRecord& message = bundled.message;
  Json object = {{"id", message.id},
                 {"parent", message.parentId},
                 {"role", text(message.role.name)},
                 {"status", static_cast<int>(message.status)},
                 {"created_ms", message.createdMs}};
  if (message.role == MessageRole::Assistant) {
    object.update({{"tokens", tokens(message.tokens)},
                   {"error", text(message.error)},
                   {"model", text(message.modelName)},
                   {"model_fingerprint", text(message.modelFingerprint)},
                   {"seed", message.seed},
                   {"temperature", message.temperature},
                   {"prompt_tokens", message.promptTokens},
                   {"cached_tokens", message.cachedTokens},
                   {"disk_tokens", message.diskTokens},
                   {"reused_tokens", message.reusedTokens},
                   {"forked_tokens", message.forkedTokens},
                   {"output_tokens", message.outputTokens},
                   {"first_token_ms", message.firstTokenMs},
                   {"total_ms", message.totalMs},
                   {"thinking_ms", message.thinkingMs}});
  }
  for (const MessagePart& one : message.parts) object["parts"].push_back(part(one));
  if (bundled.origin) object["origin"] = origin(*bundled.origin);
  return object;
}

Result<PersonaRecord> readPersona(const Json& object) {
  ExportFields fields(object);
  PersonaRecord persona;
  persona.id = fields.id("id");
  persona.name = fields.text("name");
  persona.systemPrompt = fields.text("system_prompt");
  persona.description = fields.text("description");
  persona.icon = fields.text("icon");
  persona.color = fields.count("color");
  persona.settings = generationSettingsFromJson(fields.settings("settings"));
  persona.pinned = fields.flag("pinned");
  persona.position = static_cast<int>(fields.number("position", -kMaxInt, kMaxInt));
  persona.presetId = fields.text("preset");
  persona.createdMs = fields.number("created_ms", 0, kMaxId);
  if (auto finished = fields.finish(); !finished) return finished.error();
  return persona;
}

Result<FolderRecord> readFolder(const Json& object) {
  ExportFields fields(object);
  FolderRecord folder;
  folder.id = fields.id("id");
  folder.name = fields.text("name");
  folder.position = static_cast<int>(fields.number("position", -kMaxInt, kMaxInt));
  folder.isOpen = fields.flag("is_open", true);
  folder.createdMs = fields.number("created_ms", 0, kMaxId);
  if (auto finished = fields.finish(); !finished) return finished.error();
  return folder;
}

Result<ModelSettings> readModelSettings(const Json& object) {
  ExportFields fields(object);
  const QString path = fields.text("path");
  const QString settings = fields.settings("settings");
  const qint64 lastUsedMs = fields.number("last_used_ms", 0, kMaxId);
  if (auto finished = fields.finish(); !finished) return finished.error();
  return model_setting_table::fromJson(path, settings, lastUsedMs);
}

Result<void> readBeside(ExportFields& fields, ChatBundle& bundle) {
  if (const Json* files = fields.list("draft_files")) {
    for (const Json& file : *files) {
      auto attachment = readAttachment(file);
      if (!attachment) return attachment.error();
      bundle.draftFiles.append(std::move(*attachment));
    }
  }
  if (const Json* answers = fields.list("compared")) {
    for (const Json& answer : *answers) {
      ExportFields inner(answer);
      bundle.compared.append({inner.id("message"), inner.text("label")});
      if (auto finished = inner.finish(); !finished) return finished;
    }
  }
  return {};
}

Result<ChatBundle> readChat(const Json& object) {
  ExportFields fields(object);
  ChatBundle bundle{.chat = readChatRow(fields)};
  if (auto beside = readBeside(fields, bundle); !beside) return beside.error();
  if (const Json* messages = fields.list("messages")) {
    for (const Json& message : *messages) {
      auto read = readMessage(message);
      if (!read) return read.error();
      bundle.messages.append(std::move(*read));
    }
  }
  if (auto finished = fields.finish(); !finished) return finished.error();
  return bundle;
}

}  // namespace quire::export_json
