#include "app/store/transfer/export_json.h"

#include <algorithm>
#include <limits>

#include "app/store/bounded_json.h"
#include "app/store/fields.h"
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

Json value(const QString& field) {
  return text(field);
}
Json value(const GenerationSettings& field) {
  return settingsObject(quire::toJson(field));
}
Json value(const QList<qint32>& field) {
  return tokens(field);
}
Json value(const MessageRole& field) {
  return text(field.name);
}
Json value(MessageStatus field) {
  return static_cast<int>(field);
}
template <typename T>
Json value(const T& field) {
  return field;
}

/// Its fields; after the first `numAlways`, those that are as in a record that was just made are
/// left out.
template <typename Record>
Json fieldsOf(const Record& record, int numAlways = kNumFields<Record>) {
  const Record unset{};
  Json object = Json::object();
  int index = 0;
  forEachField<Record>([&](const auto& field) {
    const auto& member = record.*field.member;
    if (index++ >= numAlways && member == unset.*field.member) return;
    if (field.key != nullptr) object[field.key] = value(member);
  });
  return object;
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
  /// A field of a record; one that is missing leaves it as it is.
  void read(const char* key, int& value, int low) {
    value = static_cast<int>(number(key, low, kMaxInt, value));
  }
  void read(const char* key, qint64& value, int) { value = number(key, 0, kMaxId, value); }
  void read(const char* key, quint64& value, int) { value = unsignedNumber(key); }
  void read(const char* key, double& value, int) { value = real(key); }
  void read(const char* key, bool& value, int) { value = flag(key, value); }
  void read(const char* key, QString& value, int) { value = text(key); }
  void read(const char* key, QList<qint32>& value, int) { value = tokens(key); }
  void read(const char* key, GenerationSettings& value, int) {
    value = generationSettingsFromJson(settings(key));
  }
  void read(const char* key, MessageRole& value, int) {
    if (const QString name = text(key); !name.isEmpty()) value.name = name;
  }
  void read(const char* key, MessageStatus& value, int) {
    value = static_cast<MessageStatus>(number(key, 0, static_cast<int>(MessageStatus::Failed)));
  }
  template <typename Record>
  Record record() {
    Record made;
    forEachField<Record>([&](const auto& field) {
      if (field.key != nullptr) read(field.key, made.*field.member, field.low);
    });
    return made;
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

template <typename Record>
Result<Record> readRecord(const Json& object) {
  ExportFields fields(object);
  Record record = fields.record<Record>();
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
    auto attachment = readRecord<AttachmentRecord>(file);
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

Result<BundledMessage> readMessage(const Json& object) {
  ExportFields fields(object);
  BundledMessage bundled;
  MessageRecord& message = bundled.message;
  message = fields.record<MessageRecord>();
  message.id = fields.ownId("id");
  if (auto read = readParts(fields, message); !read) return read.error();
  if (const Json* made = fields.object("origin")) {
    auto stored = readOrigin(*made);
    if (!stored) return stored.error();
    bundled.origin = std::move(*stored);
  }
  if (auto finished = fields.finish(); !finished) return finished.error();
  return bundled;
}

}  // namespace

Json toJson(const PersonaRecord& persona) {
  return fieldsOf(persona);
}

Json toJson(const FolderRecord& folder) {
  return fieldsOf(folder);
}

Json toJson(const ModelSettings& settings) {
  return {{"path", text(settings.path)},
          {"settings", settingsObject(model_setting_table::toJson(settings))},
          {"last_used_ms", settings.lastUsedMs}};
}

Json toJson(const ChatBundle& bundle) {
  Json object = fieldsOf(bundle.chat);
  for (const AttachmentRecord& file : bundle.draftFiles) {
    object["draft_files"].push_back(fieldsOf(file));
  }
  for (const ComparedAnswer& answer : bundle.compared) {
    object["compared"].push_back({{"message", answer.messageId}, {"label", text(answer.label)}});
  }
  return object;
}

Json toJson(const BundledMessage& bundled) {
  const MessageRecord& message = bundled.message;
  constexpr int kNumAlways = Fields<MessageRecord>::kNumFixed + 1;  // And its status.
  Json object = fieldsOf(message, kNumAlways);
  for (const MessagePart& one : message.parts) object["parts"].push_back(part(one));
  if (bundled.origin) object["origin"] = origin(*bundled.origin);
  return object;
}

Result<PersonaRecord> readPersona(const Json& object) {
  return readRecord<PersonaRecord>(object);
}

Result<FolderRecord> readFolder(const Json& object) {
  return readRecord<FolderRecord>(object);
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
      auto attachment = readRecord<AttachmentRecord>(file);
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
  ChatBundle bundle{.chat = fields.record<ChatRecord>()};
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
