#include "app/store/transfer/export_json.h"

#include <algorithm>
#include <utility>

#include "app/store/json_values.h"
#include "app/store/model_setting_table.h"
#include "app/store/name_limits.h"

namespace quire::export_json {
namespace {

// The window makes an item of each file and lays the whole draft out.
constexpr qsizetype kMaxFiles = 200;  ///< Of a message, or of a draft.
constexpr qsizetype kMaxDraftLength = 200'000;

Json jsonOf(const GenerationSettings& field) {
  return boundedObject(quire::toJson(field).toStdString());
}
Json jsonOf(const JsonText& field) {
  return boundedObject(field.text.toStdString());
}
Json jsonOf(const MessageRole& field) {
  return field.name.toStdString();
}
Json jsonOf(MessageStatus field) {
  return static_cast<int>(field);
}
Json jsonOf(const QByteArray& hash) {
  return hash.toHex().toStdString();
}

bool readJson(const Json& field, JsonText& value) {
  if (!field.is_object()) return false;
  value.text = dumpText(field);
  return true;
}
bool readJson(const Json& field, GenerationSettings& value) {
  if (!field.is_object()) return false;
  value = generationSettingsFromJson(dumpText(field));
  return true;
}
bool readJson(const Json& field, MessageRole& value) {
  QString name;
  if (!quire::readJson(field, name)) return false;
  if (!name.isEmpty()) value.name = name;
  return true;
}
bool readJson(const Json& field, MessageStatus& value) {
  int number = 0;
  const bool isRead = quire::readJson(field, number);
  if (!isRead || number > static_cast<int>(MessageStatus::Failed)) return false;
  value = static_cast<MessageStatus>(number);
  return true;
}
bool readJson(const Json& field, QByteArray& hash) {
  QString hex;
  if (!quire::readJson(field, hex)) return false;
  hash = QByteArray::fromHex(hex.toLatin1());
  return true;
}

using quire::jsonOf;
using quire::readJson;

/// The fields of a record; after the first `numAlways`, those with their default value are left
/// out.
template <typename Record>
Json fieldsOf(const Record& record, int numAlways = kNumFields<Record>) {
  const Record unset{};
  Json object = Json::object();
  int index = 0;
  forEachField<Record>([&](const auto& field) {
    const auto& member = record.*field.member;
    if (index++ >= numAlways && member == unset.*field.member) return;
    if (field.key != nullptr) object[field.key] = jsonOf(member);
  });
  return object;
}

Json part(const MessagePart& record) {
  Json object = {{"kind", jsonOf(record.kind)}, {"text", jsonOf(record.payload)}};
  if (!record.properties.isEmpty()) {
    object["properties"] = boundedObject(record.properties.toStdString());
  }
  if (!record.blob.isEmpty()) object["data"] = record.blob.toBase64().toStdString();
  return object;
}

/// Reads one field after another; the first that is wrong becomes the error.
class ExportFields {
 public:
  explicit ExportFields(const Json& object) : m_object(object) {
    if (!object.is_object()) m_wrong = "{";
  }

  /// A missing field leaves the value unchanged.
  template <typename T, typename... Low>
  void read(const char* key, T& value, Low... low) {
    const Json* field = find(key);
    if (field != nullptr && !readJson(*field, value, low...)) fail(key);
  }
  template <typename T>
  T get(const char* key) {
    T value{};
    read(key, value);
    return value;
  }
  template <typename Record>
  Record record() {
    Record made;
    forEachField<Record>([&]<typename T>(const Field<Record, T>& field) {
      if (field.key == nullptr) return;
      if constexpr (std::is_same_v<T, int>) {
        read(field.key, made.*field.member, field.low);
      } else {
        read(field.key, made.*field.member);
      }
    });
    showNames(made);
    return made;
  }
  /// A record for each element of a list; none if there is no such list.
  template <typename Read>
  auto list(const char* key, const Read& readOne)
      -> Result<QList<std::decay_t<decltype(*readOne(Json()))>>> {
    QList<std::decay_t<decltype(*readOne(Json()))>> records;
    const Json* field = find(key);
    if (field != nullptr && !field->is_array()) fail(key);
    if (field == nullptr || !field->is_array()) return records;
    for (const Json& element : *field) {
      auto record = readOne(element);
      if (!record) return record.error();
      records.append(std::move(*record));
    }
    return records;
  }

  const Json* find(const char* key) const {
    if (!m_object.is_object()) return nullptr;
    const auto found = m_object.find(key);
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
  }
  void fail(const char* key) {
    if (m_wrong.empty()) m_wrong = key;
  }
  /// The record, or the error if a field was wrong.
  template <typename T>
  Result<T> finish(T read) const {
    if (m_wrong.empty()) return read;
    return Error{ErrorCode::kCorruptFile, "the field \"" + m_wrong + "\" is not what it should be"};
  }

 private:
  const Json& m_object;
  std::string m_wrong;
};

template <typename Record>
Result<Record> readRecord(const Json& object) {
  ExportFields fields(object);
  return fields.finish(fields.record<Record>());
}

/// Those of an attachment have a name that can be shown.
QByteArray propertiesOf(const Json& object, const QString& kind) {
  const auto name = object.find("name");
  if (kind != part_kind::kAttachment || name == object.end() || !name->is_string()) {
    return dumpText(object).toUtf8();
  }
  Json shown = object;
  const QString text = QString::fromStdString(name->get_ref<const std::string&>());
  shown["name"] = visibleName(text, kMaxFileNameLength).toStdString();
  return dumpText(shown).toUtf8();
}

Result<MessagePart> readPart(const Json& object) {
  ExportFields fields(object);
  MessagePart part{.kind = fields.get<QString>("kind"), .payload = fields.get<QString>("text")};
  if (const Json* properties = fields.find("properties")) {
    if (!properties->is_object()) fields.fail("properties");
    if (properties->is_object()) part.properties = propertiesOf(*properties, part.kind);
  }
  part.blob = QByteArray::fromBase64(fields.get<QString>("data").toLatin1());
  return fields.finish(part);
}

/// Version 1 had one text and a list of attachments.
Result<void> readVersion1(ExportFields& fields, MessageRecord& message) {
  message.setText(fields.get<QString>("text"));
  const auto files = fields.list("attachments", readRecord<AttachmentRecord>);
  if (!files) return files.error();
  if (files->size() > kMaxFiles) fields.fail("attachments");
  message.setAttachments(*files);
  return {};
}

/// Neighbouring texts become one: each part is a row of the store.
QList<MessagePart> joined(QList<MessagePart> parts) {
  const auto isPlain = [](const MessagePart& one) {
    return one.kind == part_kind::kText && one.properties.isEmpty() && one.blob.isEmpty();
  };
  QList<MessagePart> fewer;
  for (MessagePart& one : parts) {
    constexpr qsizetype kMostJoined = 8 << 20;  // Far below the longest row of a store.
    const bool isShort = !fewer.isEmpty() && fewer.last().payload.size() < kMostJoined;
    if (isShort && isPlain(one) && isPlain(fewer.last())) {
      fewer.last().payload += one.payload;
    } else {
      fewer.append(std::move(one));
    }
  }
  return fewer;
}

Result<void> readParts(ExportFields& fields, MessageRecord& message) {
  if (fields.find("parts") == nullptr) return readVersion1(fields, message);
  auto parts = fields.list("parts", readPart);
  if (!parts) return parts.error();
  const auto numFiles = std::count_if(parts->cbegin(), parts->cend(), [](const MessagePart& one) {
    return one.kind == part_kind::kAttachment;
  });
  if (numFiles > kMaxFiles) fields.fail("parts");
  message.parts = joined(std::move(*parts));
  return {};
}

/// Makes a draft that is too long one of its files, so that nothing of it is lost.
void shortenDraft(ChatBundle& bundle) {
  if (bundle.chat.draft.size() <= kMaxDraftLength) return;
  AttachmentRecord file{.name = QStringLiteral("draft.txt"),
                        .mediaType = QStringLiteral("text/plain"),
                        .text = std::exchange(bundle.chat.draft, QString())};
  file.bytes = file.text.toUtf8().size();
  bundle.draftFiles.append(file);
}

Result<BundledMessage> readMessage(const Json& object) {
  ExportFields fields(object);
  BundledMessage bundled{.message = fields.record<MessageRecord>()};
  if (bundled.message.id == 0) fields.fail("id");  // 0 stands for none.
  if (auto read = readParts(fields, bundled.message); !read) return read.error();
  if (const Json* made = fields.find("origin")) {
    auto stored = readRecord<origin_table::StoredOrigin>(*made);
    if (!stored) return stored.error();
    bundled.origin = std::move(*stored);
  }
  return fields.finish(std::move(bundled));
}

/// Each becomes a column of the window.
QList<ComparedAnswer> firstOfEach(const QList<ComparedAnswer>& answers) {
  QList<ComparedAnswer> first;
  for (const ComparedAnswer& answer : answers) {
    const auto isSame = [&](const auto& one) { return one.messageId == answer.messageId; };
    if (first.size() < kMaxCompared && std::ranges::none_of(first, isSame)) first.append(answer);
  }
  return first;
}

}  // namespace

Json toJson(const PersonaRecord& persona) {
  return fieldsOf(persona);
}

Json toJson(const FolderRecord& folder) {
  return fieldsOf(folder);
}

Json toJson(const ModelSettings& settings) {
  ModelSettings own = settings;
  own.draftModel.clear();  // A path on this machine, like the adapters of personas.
  return fieldsOf(model_setting_table::toRow(own));
}

Json toJson(const ChatBundle& bundle) {
  Json object = fieldsOf(bundle.chat);
  for (const auto& file : bundle.draftFiles) object["draft_files"].push_back(fieldsOf(file));
  for (const auto& answer : bundle.compared) object["compared"].push_back(fieldsOf(answer));
  return object;
}

Json toJson(const BundledMessage& bundled) {
  const MessageRecord& message = bundled.message;
  constexpr int kNumAlways = Fields<MessageRecord>::kNumFixed + 1;  // And its status.
  Json object = fieldsOf(message, kNumAlways);
  for (const MessagePart& one : message.parts) object["parts"].push_back(part(one));
  if (bundled.origin) object["origin"] = fieldsOf(*bundled.origin);
  return object;
}

Result<PersonaRecord> readPersona(const Json& object) {
  return readRecord<PersonaRecord>(object);
}

Result<FolderRecord> readFolder(const Json& object) {
  return readRecord<FolderRecord>(object);
}

Result<ModelSettings> readModelSettings(const Json& object) {
  const auto row = readRecord<model_setting_table::Row>(object);
  if (!row) return row.error();
  return model_setting_table::fromRow(*row);
}

Result<ChatBundle> readChat(const Json& object) {
  ExportFields fields(object);
  ChatBundle bundle{.chat = fields.record<ChatRecord>()};
  auto files = fields.list("draft_files", readRecord<AttachmentRecord>);
  if (!files) return files.error();
  if (files->size() > kMaxFiles) fields.fail("draft_files");
  auto compared = fields.list("compared", readRecord<ComparedAnswer>);
  if (!compared) return compared.error();
  auto messages = fields.list("messages", readMessage);
  if (!messages) return messages.error();
  bundle.draftFiles = std::move(*files);
  bundle.compared = firstOfEach(*compared);
  bundle.messages = std::move(*messages);
  shortenDraft(bundle);
  return fields.finish(std::move(bundle));
}

}  // namespace quire::export_json
