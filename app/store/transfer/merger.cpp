#include "app/store/transfer/merger.h"

#include <algorithm>

#include "app/store/chat_table.h"
#include "app/store/message_table.h"
#include "app/store/model_setting_table.h"
#include "app/store/name_limits.h"
#include "app/store/record_rows.h"
#include "app/store/setting_keys.h"
#include "app/store/store_strings.h"

namespace quire {
namespace {

/// Whether a copy goes on where the answer here was cut off.
bool goesOn(const MessageRecord& copy, const MessageRecord& here) {
  const QString text = copy.text();
  const bool isCutOff =
      copy.status == MessageStatus::Streaming || copy.status == MessageStatus::Interrupted;
  return text.startsWith(here.textBeforeCut()) && (!isCutOff || text.size() > here.text().size());
}

}  // namespace

Merger::Merger(const Database& database, IdSource& ids, Policy policy, const Rescue& rescue)
    : m_database(database), m_ids(ids), m_policy(policy), m_rescue(rescue), m_known(database) {}

Result<void> Merger::readKnown() {
  if (m_isReady) return {};
  auto personas = readRecords<PersonaRecord>(m_database, "ORDER BY position, id");
  if (!personas) return personas.error();
  auto folders = readRecords<FolderRecord>(m_database, "ORDER BY position, id");
  if (!folders) return folders.error();
  const auto chats = chat_table::readAll(m_database);
  if (!chats) return chats.error();
  for (const PersonaRecord& persona : *personas) m_personas.add(persona);
  for (const FolderRecord& folder : *folders) m_folders.add(folder);
  for (const ChatRecord& chat : *chats) m_known.add(chat);
  m_isReady = true;
  return {};
}

/// Adds a persona or a folder under a new id, unless the store has it; `idOf` gets its id here.
template <typename Record>
Result<void> Merger::addUnlessKnown(Record record, KnownRecords<Record>& known, IdMap& idOf,
                                    int& numAdded) {
  if (auto ready = readKnown(); !ready) return ready;
  const RecordId sourceId = record.id;
  record.id = known.idOfSame(record);
  if (record.id == 0 && m_rescue.isResumed) return {};
  if (record.id == 0) {
    record.id = m_ids.next();
    if (auto done = putRecord(m_database, record); !done) return done;
    known.add(record);
    ++numAdded;
  }
  idOf.insert(sourceId, record.id);
  return {};
}

Result<void> Merger::addPersona(const PersonaRecord& persona) {
  return addUnlessKnown(persona, m_personas, m_personaOf, m_report.personasAdded);
}

Result<void> Merger::addFolder(const FolderRecord& folder) {
  return addUnlessKnown(folder, m_folders, m_folderOf, m_report.foldersAdded);
}

Result<void> Merger::addModelSettings(const ModelSettings& settings) {
  if (m_rescue.isResumed) return {};
  const auto known = model_setting_table::read(m_database, settings.path);
  if (!known) return known.error();
  if (*known) return {};
  ModelSettings added = settings;
  if (m_policy == Policy::Import) added.draftModel.clear();  // It would be read with the model.
  if (auto done = model_setting_table::put(m_database, added); !done) return done;
  ++m_report.settingsAdded;
  return {};
}

Result<void> Merger::addSetting(const QString& key, const QString& value) {
  if (m_rescue.isResumed || setting_keys::isOfOneStore(key)) return {};
  if (m_policy == Policy::Import && setting_keys::namesPlacesToUse(key)) return {};
  const auto known = setting_table::read(m_database, key);
  if (!known) return known.error();
  if (*known) return {};
  if (auto done = setting_table::put(m_database, key, value); !done) return done;
  ++m_report.settingsAdded;
  return {};
}

Result<void> Merger::addChat(const ChatBundle& bundle) {
  if (auto ready = readKnown(); !ready) return ready;
  const MergeReport before = m_report;
  auto done = m_database.transaction([&]() -> Result<void> {
    if (auto there = checkPlace(m_database); !there) return there;
    const auto existing = findChat(bundle);
    if (!existing) return existing.error();
    return *existing ? completeChat(bundle, **existing) : createChat(bundle);
  });
  if (!done) {
    m_report = before;
    m_matcher.reset();
  }
  return done;
}

/// Keeps the messages of one chat, which many bundles of a file may continue.
Result<MessageMatcher*> Merger::matcherOf(RecordId chatId) {
  // Changes when another connection has written, such as the window's.
  const auto version = m_database.number("PRAGMA data_version");
  if (!version) return version.error();
  if (m_matcher && m_matcherChat == chatId && m_matcherVersion == *version) return &*m_matcher;
  m_matcher.reset();
  const auto messages = message_table::readChat(m_database, chatId);
  if (!messages) return messages.error();
  m_matcher.emplace();
  for (const MessageRecord& message : *messages) m_matcher->append(message);
  m_matcherChat = chatId;
  m_matcherVersion = *version;
  return &*m_matcher;
}

/// A chat that began at the same time with the same message, or is empty and has the same title.
Result<std::optional<Merger::Existing>> Merger::findChat(const ChatBundle& bundle) {
  const auto alike = m_known.alike(bundle);
  if (!alike) return alike.error();
  for (const ChatRecord& chat : *alike) {
    const auto matcher = matcherOf(chat.id);
    if (!matcher) return matcher.error();
    Existing existing{chat, (*matcher)->match(bundle), {}};
    // The text of a Streaming one is being written at this moment.
    existing.cutOff = (*matcher)->cutOff(existing.messages);
    const bool bothEmpty = bundle.messages.isEmpty() && (*matcher)->isEmpty();
    const bool sameEmpty = bothEmpty && visibleName(chat.title) == visibleName(bundle.chat.title);
    if (sameEmpty || !existing.messages.isEmpty()) return std::optional(std::move(existing));
  }
  return std::optional<Existing>();
}

ChatRecord Merger::adopted(const ChatRecord& chat, RecordId id, RecordId head) const {
  ChatRecord record = chat;
  record.id = id;
  record.headMessageId = head;
  record.personaId = m_personaOf.value(chat.personaId, 0);
  record.folderId = m_folderOf.value(chat.folderId, 0);
  record.forkedFrom = 0;
  return record;
}

Result<void> Merger::createChat(const ChatBundle& bundle) {
  const RecordId id = m_ids.next();
  IdMap idOf;
  // The row is written before the messages, which refer to it, and again with its head after them.
  if (auto done = chat_table::put(m_database, adopted(bundle.chat, id, 0)); !done) return done;
  const auto added = addMessages(bundle, id, idOf);
  if (!added) return added.error();
  const ChatRecord chat = adopted(bundle.chat, id, idOf.value(bundle.chat.headMessageId, 0));
  if (auto done = chat_table::put(m_database, chat); !done) return done;
  m_known.add(chat);
  m_messageOf.insert(idOf);
  if (bundle.chat.forkedFrom != 0) m_forks.insert(id, bundle.chat.forkedFrom);
  if (auto done = addBeside(bundle, id, idOf); !done) return done;
  ++m_report.chatsAdded;
  m_report.messagesAdded += *added;
  return {};
}

/// Adds the draft files and the comparison of a new chat.
Result<void> Merger::addBeside(const ChatBundle& bundle, RecordId chatId, const IdMap& idOf) {
  if (!bundle.draftFiles.isEmpty()) {
    auto done = chat_table::putDraftFiles(m_database, chatId, bundle.draftFiles);
    if (!done) return done;
  }
  if (bundle.compared.isEmpty()) return {};
  QList<ComparedAnswer> compared;
  for (const ComparedAnswer& answer : bundle.compared) {
    compared.append({idOf.value(answer.messageId, 0), answer.label});
  }
  return chat_table::putComparison(m_database, chatId, compared);
}

Result<void> Merger::completeChat(const ChatBundle& bundle, const Existing& existing) {
  const bool isNewer = bundle.chat.activeMs > existing.chat.activeMs;
  IdMap idOf = existing.messages;
  int numAdded = 0;
  if (isNewer || m_policy == Policy::Import || hasLaterMessages(bundle)) {
    const auto added = addMessages(bundle, existing.chat.id, idOf);
    if (!added) return added.error();
    numAdded = *added;
  }
  const auto numCompleted = completeAnswers(bundle, existing, idOf);
  if (!numCompleted) return numCompleted.error();
  m_messageOf.insert(idOf);
  // The chat may be a fork that was imported without its source before.
  if (existing.chat.forkedFrom == 0 && bundle.chat.forkedFrom != 0) {
    m_forks.insert(existing.chat.id, bundle.chat.forkedFrom);
  }
  m_report.messagesAdded += numAdded;
  if (!isNewer && numAdded == 0 && *numCompleted == 0) {
    ++m_report.chatsKnown;
    return {};
  }
  ++m_report.chatsCompleted;
  m_report.completed.append(existing.chat.id);
  m_known.addBeginnings(existing.chat, bundle);
  if (!isNewer) return {};
  ChatRecord chat = adopted(bundle.chat, existing.chat.id,
                            idOf.value(bundle.chat.headMessageId, existing.chat.headMessageId));
  chat.forkedFrom = existing.chat.forkedFrom;
  if (!existing.chat.draft.isEmpty()) chat.draft = existing.chat.draft;
  return chat_table::put(m_database, chat);
}

/// Whether the copy has messages that were written after the backup that took its place. Ids tell
/// that where the clock was set back in between.
bool Merger::hasLaterMessages(const ChatBundle& bundle) const {
  const RecordId first = m_rescue.firstLaterId;
  const auto isLater = [first](const BundledMessage& bundled) {
    return bundled.message.id >= first;
  };
  return first != 0 && std::any_of(bundle.messages.begin(), bundle.messages.end(), isLater);
}

/// Replaces answers that were cut off here by copies that go on, and returns their number.
Result<int> Merger::completeAnswers(const ChatBundle& bundle, const Existing& existing,
                                    const IdMap& idOf) {
  int numCompleted = 0;
  for (const BundledMessage& bundled : bundle.messages) {
    const RecordId id = existing.messages.value(bundled.message.id, 0);
    const auto here = existing.cutOff.constFind(id);
    if (here == existing.cutOff.constEnd() || !goesOn(bundled.message, *here)) continue;
    MessageRecord answer = asStored(bundled.message);
    answer.id = id;
    answer.imported = answer.imported || here->imported;
    m_matcher.reset();
    if (auto done = message_table::finish(m_database, answer); !done) return done.error();
    if (auto done = putOrigin(bundled, idOf, id); !done) return done.error();
    ++numCompleted;
  }
  return numCompleted;
}

/// Adds the messages that are not in `idOf` yet and returns their number.
Result<int> Merger::addMessages(const ChatBundle& bundle, RecordId chatId, IdMap& idOf) {
  int numAdded = 0;
  for (const BundledMessage& bundled : bundle.messages) {
    const MessageRecord& message = bundled.message;
    // Only a forged store has ids of 0 or less; 0 is the parent of all roots.
    if (message.id <= 0 || idOf.contains(message.id)) continue;
    if (message.parentId != 0 && !idOf.contains(message.parentId)) {
      return storeError(
          ErrorCode::kCorruptFile,
          StoreWords::tr("In the chat \"%1\", message %2 answers one that is not there.")
              .arg(bundle.chat.title)
              .arg(message.id));
    }
    const RecordId newId = m_ids.next();
    if (auto done = addMessage(bundled, chatId, idOf, newId); !done) return done.error();
    idOf.insert(message.id, newId);
    ++numAdded;
  }
  return numAdded;
}

Result<void> Merger::addMessage(const BundledMessage& bundled, RecordId chatId, const IdMap& idOf,
                                RecordId newId) {
  MessageRecord message = asStored(bundled.message);
  message.id = newId;
  message.chatId = chatId;
  message.parentId = idOf.value(bundled.message.parentId, 0);
  if (auto done = message_table::insert(m_database, message); !done) return done;
  if (m_matcher && m_matcherChat == chatId) {
    const auto stored = message_table::readOne(m_database, newId);
    if (!stored) return stored.error();
    if (*stored) m_matcher->append(**stored);
  }
  return putOrigin(bundled, idOf, newId);
}

MessageRecord Merger::asStored(MessageRecord message) const {
  message.imported = message.imported || m_policy == Policy::Import;
  if (message.status == MessageStatus::Streaming) message.status = MessageStatus::Interrupted;
  return message;
}

/// Stores the origin of the message that has the id `id` here, if the bundle has one.
Result<void> Merger::putOrigin(const BundledMessage& bundled, const IdMap& idOf, RecordId id) {
  if (!bundled.origin) return {};
  origin_table::StoredOrigin origin = *bundled.origin;
  // Without its base the prompt is not known any more.
  if (origin.baseId != 0 && !idOf.contains(origin.baseId)) return {};
  origin.baseId = idOf.value(origin.baseId, 0);
  origin.messageId = id;
  return putRecord(m_database, origin);
}

Result<void> Merger::finish() {
  if (m_forks.isEmpty()) return {};
  return m_database.transaction([&]() -> Result<void> {
    Statement update(m_database, "UPDATE chat SET forked_from = ? WHERE id = ?");
    for (auto it = m_forks.begin(); it != m_forks.end(); ++it) {
      const RecordId from = m_messageOf.value(it.value(), 0);
      if (auto done = update.bind(Reference{from}).bind(it.key()).run(); !done) return done;
    }
    return {};
  });
}

}  // namespace quire
