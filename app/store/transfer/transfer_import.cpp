#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QStringDecoder>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <string_view>
#include <utility>

#include "app/store/backup/backups.h"
#include "app/store/backup/damaged_store.h"
#include "app/store/model_setting_table.h"
#include "app/store/record_rows.h"
#include "app/store/setting_keys.h"
#include "app/store/store_strings.h"
#include "app/store/system_reason.h"
#include "app/store/transfer/export_json.h"
#include "app/store/transfer/json_record_reader.h"
#include "app/store/transfer/markdown.h"
#include "app/store/transfer/merger.h"
#include "app/store/transfer/transfer.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

/// Of a file. The window makes an item of each persona and each folder.
constexpr qsizetype kMaxPersonas = 2'000;
constexpr qsizetype kMaxFolders = 2'000;
constexpr qsizetype kMaxSettings = 10'000;  ///< Of the program, and of models.
constexpr qint64 kMaxSurroundingMiB = 128;  ///< The texts of these, which are in memory at once.
/// Of a value of a JSON file, in the file's bytes: a text of kMaxImportedText whose every character
/// takes four.
constexpr qint64 kMaxTextMiB = 32;
constexpr qint64 kMaxTextBytes = kMaxTextMiB << 20;
/// Without a text or number; the parser keeps it, and makes eight characters of each line end.
constexpr qint64 kMaxGapBytes = qint64{2} << 20;
constexpr qsizetype kMaxMarkdownChats = JsonRecordReader::kMaxRecords;

Error unreadable(const QFile& file) {
  return storeError(ErrorCode::kIo, StoreWords::tr("The file \"%1\" cannot be read: %2.")
                                        .arg(file.fileName(), systemReason(file.errorString())));
}

/// Refuses pipes and devices, which might never end.
Result<void> openFile(QFile& file) {
  const QFileInfo info(file.fileName());
  if (info.exists() && !info.isFile()) {
    return storeError(ErrorCode::kUnsupported,
                      StoreWords::tr("\"%1\" is not a file. Choose a file that Quire exported.")
                          .arg(file.fileName()));
  }
  if (file.open(QIODevice::ReadOnly)) return {};
  return unreadable(file);
}

Error importGivenUp() {
  return {ErrorCode::kInternal, "The import was given up."};
}

/// A file as a stream. It ends early if one value is too large, if the import is cancelled, or if
/// the file cannot be read on.
class FileBuffer : public std::streambuf {
 public:
  FileBuffer(QFile& file, const std::function<bool(qint64)>& goOn) : m_file(file), m_goOn(goOn) {}

  bool mayGoOn() {
    m_givenUp = m_givenUp || !m_goOn(m_numRead);
    return !m_givenUp;
  }
  void markValue() { m_valueStart = m_numRead; }
  bool wasGivenUp() const { return m_givenUp; }
  bool hasTooLongValue() const { return m_numRead - m_valueStart > kMaxTextBytes; }
  bool hasTooLongGap() const { return m_gap > kMaxGapBytes; }

 protected:
  int_type underflow() override {
    if (hasTooLongValue() || !mayGoOn()) return traits_type::eof();
    const qint64 read = m_file.read(m_block, sizeof(m_block));
    if (read <= 0) return traits_type::eof();
    m_numRead += read;
    countGap({m_block, static_cast<size_t>(read)});
    if (hasTooLongGap()) return traits_type::eof();
    setg(m_block, m_block, m_block + read);
    return traits_type::to_int_type(m_block[0]);
  }

 private:
  /// What follows a text or number is kept with it by the parser until the next one.
  void countGap(std::string_view block) {
    for (const char c : block) {
      if (m_isInText) {
        m_isInText = c != '"' || m_isEscaped;
        m_isEscaped = c == '\\' && !m_isEscaped;
      } else {
        m_isInText = c == '"';
        const bool begins = m_isInText || c == '-' || (c >= '0' && c <= '9');
        m_gap = begins ? 0 : m_gap + 1;
      }
      if (m_gap > kMaxGapBytes) return;
    }
  }

  QFile& m_file;
  const std::function<bool(qint64)>& m_goOn;
  char m_block[64 * 1024];
  qint64 m_numRead = 0;
  qint64 m_valueStart = 0;
  qint64 m_gap = 0;  ///< Bytes since the last text or number.
  bool m_isInText = false;
  bool m_isEscaped = false;
  bool m_givenUp = false;
};

/// Everything but the chats, which is small and needed before them.
struct Surroundings {
  QString format;
  int version = 0;
  QList<PersonaRecord> personas;
  QList<FolderRecord> folders;
  QList<ModelSettings> models;
  QList<std::pair<QString, QString>> settings;
  qint64 textBytes = 0;
};

qint64 textBytesOf(const Json& value) {
  if (value.is_string()) return std::ssize(value.get_ref<const std::string&>());
  if (!value.is_structured()) return 0;
  qint64 bytes = 0;
  for (const Json& child : value) bytes += textBytesOf(child);
  return bytes;
}

Error tooMany(qsizetype most, const char* records) {
  return {ErrorCode::kCorruptFile,
          "it holds more than " + std::to_string(most) + ' ' + std::string(records)};
}

template <typename Record>
Result<void> append(QList<Record>& list, Result<Record> record, qsizetype most,
                    const char* records) {
  if (!record) return record.error();
  if (list.size() >= most) return tooMany(most, records);
  list.append(std::move(*record));
  return {};
}

Result<void> takeSettings(Surroundings& surroundings, const Json& object) {
  if (!object.is_object()) {
    return Error{ErrorCode::kCorruptFile, "its settings are not what they should be"};
  }
  const auto count = surroundings.settings.size() + static_cast<qsizetype>(object.size());
  if (count > kMaxSettings) return tooMany(kMaxSettings, "settings");
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) continue;
    surroundings.settings.append(
        {QString::fromStdString(key), QString::fromStdString(value.get_ref<const std::string&>())});
  }
  return {};
}

Result<void> takeSurrounding(Surroundings& surroundings, const std::string& section,
                             const Json& record) {
  const bool isKept =
      section == "personas" || section == "folders" || section == "models" || section == "settings";
  if (isKept) surroundings.textBytes += textBytesOf(record);
  if (surroundings.textBytes > kMaxSurroundingMiB << 20) {
    return Error{ErrorCode::kCorruptFile, "its personas, folders and settings take more than " +
                                              std::to_string(kMaxSurroundingMiB) + " MiB"};
  }
  if (section == "format" && record.is_string()) {
    surroundings.format = QString::fromStdString(record.get<std::string>());
  } else if (section == "version" && record.is_number_integer()) {
    surroundings.version =
        static_cast<int>(std::clamp<int64_t>(record.get<int64_t>(), 0, 1'000'000));
  } else if (section == "personas") {
    auto persona = export_json::readPersona(record);
    // The prompt of a pinned one would be computed whenever a model is loaded.
    if (persona) persona->pinned = false;
    return append(surroundings.personas, std::move(persona), kMaxPersonas, "personas");
  } else if (section == "folders") {
    return append(surroundings.folders, export_json::readFolder(record), kMaxFolders, "folders");
  } else if (section == "models") {
    return append(surroundings.models, export_json::readModelSettings(record), kMaxSettings,
                  "settings of models");
  } else if (section == "settings") {
    return takeSettings(surroundings, record);
  }
  return {};
}

/// An error in a chat's record, with the chat's title, by which its user finds it.
Error ofChat(const Json& record, const Error& error) {
  const auto title = record.find("title");
  if (title == record.end() || !title->is_string()) return error;
  constexpr qsizetype kMostShown = 80;
  const QString shown =
      visibleString(QString::fromStdString(title->get_ref<const std::string&>()).left(kMostShown));
  const QString why = QString::fromStdString(error.message);
  return {error.code, StoreWords::tr("the chat \"%1\": %2").arg(shown, why).toStdString()};
}

/// Reads a file twice: first everything but the chats, then the chats.
class Importer {
 public:
  Importer(const QString& path, const Progress& progress) : m_path(path), m_progress(progress) {}

  Result<Surroundings> readSurroundings() {
    Surroundings surroundings;
    auto read = readRecords([](const std::string& section) { return section != "chats"; },
                            [&](const std::string& section, const Json& record) {
                              return takeSurrounding(surroundings, section, record);
                            },
                            /*pass=*/0);
    if (!read) return read.error();
    if (surroundings.format != QLatin1String(export_json::kFormat)) {
      return refusal("it was not exported by Quire");
    }
    if (surroundings.version <= export_json::kVersion) return surroundings;
    return storeError(ErrorCode::kUnsupported,
                      StoreWords::tr("The file \"%1\" was written by a newer Quire. Update Quire, "
                                     "and import it then.")
                          .arg(m_path));
  }

  Result<void> readChats(Merger& merger) {
    return readRecords([](const std::string& section) { return section == "chats"; },
                       [&](const std::string&, const Json& record) -> Result<void> {
                         const auto bundle = export_json::readChat(record);
                         return bundle ? merger.addChat(*bundle) : ofChat(record, bundle.error());
                       },
                       /*pass=*/1);
  }

 private:
  using Take = std::function<Result<void>(const std::string&, const Json&)>;

  Result<void> readRecords(const std::function<bool(const std::string&)>& wants, const Take& take,
                           int pass) {
    QFile file(m_path);
    if (auto opened = openFile(file); !opened) return opened;
    const qint64 size = file.size();
    const std::function<bool(qint64)> goOn = [&](qint64 read) {
      return m_progress(pass * size + read, 2 * size);
    };
    FileBuffer buffer(file, goOn);
    std::istream input(&buffer);
    // Also checked before every record, because one block of the file may hold many.
    const Take takeUnlessStopped = [&](const std::string& section, const Json& record) {
      return buffer.mayGoOn() ? take(section, record) : Result<void>(importGivenUp());
    };
    const JsonRecordReader reader{
        .wants = wants, .take = takeUnlessStopped, .onValue = [&] { buffer.markValue(); }};
    const auto read = reader.read(input);
    if (read) return {};
    if (buffer.wasGivenUp()) return importGivenUp();
    if (file.error() != QFile::NoError) return unreadable(file);
    if (buffer.hasTooLongValue()) {
      return refusal("one of its texts has more than " + std::to_string(kMaxTextMiB) + " MiB");
    }
    if (buffer.hasTooLongGap()) return refusal("it has a long gap between two of its values");
    // Other errors, such as a full disk, are not errors of the file.
    return read.error().code == ErrorCode::kCorruptFile
               ? Result<void>(refusal(read.error().message))
               : read;
  }

  Error refusal(const std::string& why) const {
    return storeError(ErrorCode::kCorruptFile,
                      StoreWords::tr("The file \"%1\" cannot be imported: %2. Choose a JSON file "
                                     "that Quire exported.")
                          .arg(m_path, QString::fromStdString(why)));
  }

  const QString m_path;
  const Progress& m_progress;
};

/// In one transaction, because each alone would wait for the disk. `goOn` is asked before each
/// record; false cancels, and nothing is added.
Result<void> mergeSurroundings(const Database& database, Merger& merger,
                               const Surroundings& surroundings,
                               const std::function<bool()>& goOn) {
  return database.transaction([&]() -> Result<void> {
    Result<void> done;
    const auto addAll = [&](const auto& records, const auto& add) {
      for (auto record = records.begin(); done && record != records.end(); ++record) {
        done = goOn() ? add(*record) : Result<void>(importGivenUp());
      }
    };
    addAll(surroundings.personas, [&](const auto& one) { return merger.addPersona(one); });
    addAll(surroundings.folders, [&](const auto& one) { return merger.addFolder(one); });
    addAll(surroundings.models, [&](const auto& one) { return merger.addModelSettings(one); });
    addAll(surroundings.settings,
           [&](const auto& one) { return merger.addSetting(one.first, one.second); });
    return done;
  });
}

/// Of a damaged store, tables that cannot be read are left out.
Surroundings surroundingsOf(const Database& source) {
  Surroundings surroundings;
  surroundings.personas =
      readWholeRecords<PersonaRecord>(source, "ORDER BY position, id").value_or({});
  surroundings.folders =
      readWholeRecords<FolderRecord>(source, "ORDER BY position, id").value_or({});
  surroundings.models = model_setting_table::readAll(source).value_or({});
  Statement select(source, "SELECT key, value FROM setting");
  static_cast<void>(select.forEach([&](const Statement& row) {
    surroundings.settings.append({row.get<QString>(0), row.get<QString>(1)});
  }));
  return surroundings;
}

/// Merges a whole chat, or its readable messages. Damage in the source affects only its own chat;
/// an error is one of the destination.
Result<void> mergeChat(Merger& merger, const Database& source, const ChatRecord& chat) {
  if (const auto bundle = readBundle(source, chat)) {
    const auto added = merger.addChat(*bundle);
    if (added || added.error().code == ErrorCode::kIo) return added;
  } else if (bundle.error().code == ErrorCode::kOutOfMemory) {
    return bundle.error();
  }
  ++merger.report().chatsDamaged;
  const ChatBundle remains = readRemains(source, chat);
  if (remains.messages.isEmpty()) return {};
  const auto added = merger.addChat(remains);
  const bool isRefused = !added && added.error().code == ErrorCode::kInvalidArgument;
  return isRefused ? Result<void>() : added;
}

/// The ids and times of chats.
using ErasedChats = QSet<std::pair<qint64, qint64>>;

/// The chats that are being deleted from both stores and their backups. Those that only the source
/// knows of are noted here, because this store and the backups beside it may have them too: they
/// are deleted as the source would have done it.
Result<ErasedChats> readErased(const Database& database, const Database& source) {
  const auto here = setting_table::read(database, setting_keys::kErasing);
  if (!here) return here.error();
  const QList<ErasedChat> erasedHere = erasedChats(here->value_or(QString()));
  ErasedChats known;  // Each list may name 100,000.
  for (const ErasedChat& chat : erasedHere) known.insert({chat.id, chat.createdMs});
  QList<ErasedChat> added;
  // Nothing is known of a damaged table.
  const auto there = setting_table::read(source, setting_keys::kErasing);
  for (const ErasedChat& chat : erasedChats(there.value_or(std::nullopt).value_or(QString()))) {
    const std::pair key(chat.id, chat.createdMs);
    if (known.contains(key)) continue;
    known.insert(key);
    added.append(chat);
  }
  if (added.isEmpty()) return known;
  // This store's own last: of very many the reader keeps the last.
  const auto noted =
      setting_table::put(database, setting_keys::kErasing, erasedChatsText(added + erasedHere));
  return noted ? Result<ErasedChats>(known) : noted.error();
}

/// Gets the number of chats that are done, for the next attempt.
using OnMerged = std::function<Result<void>(qsizetype)>;

/// Merges all chats but those that were being deleted, and the first `numDone`.
Result<void> mergeChats(Merger& merger, const Database& source, const ErasedChats& erased,
                        const Progress& progress, qsizetype numDone, const OnMerged& onMerged) {
  const QList<ChatRecord> chats = readableChats(source);
  for (qsizetype i = numDone; i < chats.size(); ++i) {
    if (!progress(i, chats.size())) return importGivenUp();
    // Oldest first, so that ids go on sorting by age.
    const ChatRecord& chat = chats[chats.size() - 1 - i];
    const bool isErased = erased.contains({chat.id, chat.createdMs});
    auto done = isErased ? Result<void>() : mergeChat(merger, source, chat);
    if (done && onMerged) done = onMerged(i + 1);
    if (!done) return done;
  }
  progress(chats.size(), chats.size());
  return {};
}

/// How far a store is merged that a rescue put aside, as the setting kMergeOfKept: the name of its
/// file and both numbers.
struct MergeMark {
  RecordId firstLaterId = 0;  ///< See Merger::Rescue.
  qsizetype numChats = 0;     ///< So many of readableChats() are done, the oldest.
};

/// None: the merge of the store with this name has not begun.
Result<std::optional<MergeMark>> readMark(const Database& database, const QString& name) {
  const auto value = setting_table::read(database, setting_keys::kMergeOfKept);
  if (!value) return value.error();
  const QStringList words = value->value_or(QString()).split(u' ');
  if (words.size() != 3 || words[0] != name) return std::optional<MergeMark>();
  return std::optional(MergeMark{words[1].toLongLong(), words[2].toLongLong()});
}

Result<void> putMark(const Database& database, const QString& name, const MergeMark& mark) {
  const QString value =
      QStringLiteral("%1 %2 %3").arg(name).arg(mark.firstLaterId).arg(mark.numChats);
  return setting_table::put(database, setting_keys::kMergeOfKept, value);
}

/// Links forks with their sources, also after an error: what was merged stays, and a second import
/// might add nothing.
Result<MergeReport> finished(Merger& merger, const Result<void>& done) {
  const auto linked = merger.finish();
  if (!done) return done.error();
  if (!linked) return linked.error();
  return merger.report();
}

/// Merges a store, without its first `numDone` chats.
Result<MergeReport> mergeAll(const Database& database, Merger& merger, const Database& source,
                             const Progress& progress, qsizetype numDone = 0,
                             const OnMerged& onMerged = {}) {
  const auto erased = readErased(database, source);
  if (!erased) return erased.error();
  auto done =
      mergeSurroundings(database, merger, surroundingsOf(source), [&] { return progress(0, 0); });
  if (done && onMerged) done = onMerged(numDone);
  if (done) done = mergeChats(merger, source, *erased, progress, numDone, onMerged);
  return finished(merger, done);
}

/// A store that is in use. If it is gone, such as with its disk, none is made, which would hide it.
/// Its log is not trusted before the structure is checked: it may have been put there meanwhile.
Result<std::unique_ptr<Database>> openToMerge(const QString& folder, const Progress& progress) {
  const auto there = openStoreForReading(folder);
  if (!there) return there.error();
  const auto watch = (*there)->interruptWhen([&] { return !progress(0, 0); });
  if (auto checked = checkStructure(**there); !checked) return checked.error();
  return openStore(folder);
}

/// A store that was put aside. A kill while it was switched to WAL mode leaves a journal, which
/// only a connection that may write rolls back.
Result<std::unique_ptr<Database>> openSource(const QString& path) {
  if (QFileInfo(path + QStringLiteral("-journal")).size() > 0) {
    if (auto rolledBack = openFileForWriting(path); !rolledBack) return rolledBack;
  }
  return openFileForReading(path);
}

Error tooLargeMarkdown(const QString& path) {
  return storeError(
      ErrorCode::kUnsupported,
      StoreWords::tr("The file \"%1\" cannot be imported: it holds more than %2 chats, or a chat "
                     "of more than %3 characters or %4 messages, or a text of more than %5 "
                     "characters. Export fewer chats at once, or as JSON.")
          .arg(path, QString::number(kMaxMarkdownChats),
               QString::number(MarkdownInput::kMaxChatLength),
               QString::number(MarkdownInput::kMaxMessages), QString::number(kMaxImportedText)));
}

/// Reads a Markdown file chat by chat; `pass` as in Importer.
Result<void> readMarkdownFile(const QString& path, const Progress& progress, int pass,
                              const std::function<Result<void>(const ChatBundle&)>& take) {
  constexpr qint64 kBlockBytes = 64 * 1024;
  QFile file(path);
  if (auto opened = openFile(file); !opened) return opened;
  const qint64 size = file.size();
  const auto mayGoOn = [&] { return progress(pass * size + file.pos(), 2 * size); };
  QStringDecoder decoder(QStringDecoder::Utf8);
  const auto readMore = [&]() -> Result<QString> {
    if (!mayGoOn()) return importGivenUp();
    QString text;
    while (text.isEmpty()) {
      const QByteArray block = file.read(kBlockBytes);
      if (file.error() != QFile::NoError) return unreadable(file);
      if (block.isEmpty()) break;
      text = decoder.decode(block);  // Empty if it is a part of one character.
    }
    return text;
  };
  // One block of the file may hold many chats.
  const auto takeUnlessStopped = [&](const ChatBundle& chat) {
    return mayGoOn() ? take(chat) : Result<void>(importGivenUp());
  };
  return readMarkdown(
      {.readMore = readMore, .take = takeUnlessStopped, .tooLarge = tooLargeMarkdown(path)});
}

/// Reads the whole file, so that nothing is imported of one that is refused.
Result<void> checkMarkdown(const QString& path, const Progress& progress) {
  qsizetype numChats = 0;
  auto read = readMarkdownFile(path, progress, /*pass=*/0, [&](const ChatBundle&) {
    return ++numChats <= kMaxMarkdownChats ? Result<void>() : tooLargeMarkdown(path);
  });
  if (!read || numChats > 0) return read;
  return storeError(ErrorCode::kCorruptFile,
                    StoreWords::tr("The file \"%1\" cannot be imported: it holds no chats as "
                                   "Quire exports them. Choose a file that Quire exported.")
                        .arg(path));
}

}  // namespace

Result<MergeReport> importJson(const QString& folder, const QString& path, IdSource& ids,
                               const Progress& progress) {
  Importer importer(path, progress);
  const auto surroundings = importer.readSurroundings();
  if (!surroundings) return surroundings.error();
  const auto database = openToMerge(folder, progress);
  if (!database) return database.error();
  Merger merger(**database, ids, Merger::Policy::Import);
  const qint64 size = QFileInfo(path).size();
  auto done = mergeSurroundings(**database, merger, *surroundings,
                                [&] { return progress(size, 2 * size); });
  if (done) done = importer.readChats(merger);
  return finished(merger, done);
}

Result<MergeReport> importMarkdown(const QString& folder, const QString& path, IdSource& ids,
                                   const Progress& progress) {
  if (auto checked = checkMarkdown(path, progress); !checked) return checked.error();
  const auto database = openToMerge(folder, progress);
  if (!database) return database.error();
  Merger merger(**database, ids, Merger::Policy::Import);
  auto read = readMarkdownFile(path, progress, /*pass=*/1,
                               [&](const ChatBundle& chat) { return merger.addChat(chat); });
  if (!read) return read.error();
  return merger.report();
}

ExportKind exportKindOf(const QString& path) {
  constexpr qint64 kHead = 64 * 1024;
  // Closing a store that is open would release the locks that SQLite holds on it in this process.
  if (path.endsWith(QLatin1String(".db"), Qt::CaseInsensitive)) return ExportKind::None;
  QFile file(path);
  if (!openFile(file)) return ExportKind::None;
  const QByteArray head = file.read(kHead);
  if (path.endsWith(QLatin1String(".json"), Qt::CaseInsensitive)) {
    return head.contains(export_json::kFormat) ? ExportKind::AsJson : ExportKind::None;
  }
  // The last message may be incomplete; the heading of one message suffices.
  const auto chats = chatsFromMarkdown(QString::fromUtf8(head));
  const bool isChat = !chats.isEmpty() && !chats.first().messages.isEmpty();
  return isChat ? ExportKind::AsMarkdown : ExportKind::None;
}

Result<MergeReport> mergeStore(const QString& folder, const QString& sourcePath, IdSource& ids,
                               const Progress& progress) {
  const auto source = openSource(sourcePath);
  if (!source) return source.error();
  const auto database = openToMerge(folder, progress);
  if (!database) return database.error();
  Merger merger(**database, ids, Merger::Policy::Restore);
  return mergeAll(**database, merger, **source, progress);
}

Result<MergeReport> resumeMerge(const QString& folder, const QString& sourcePath, IdSource& ids,
                                const Progress& progress) {
  const auto source = openSource(sourcePath);
  if (!source) return source.error();
  const auto database = openToMerge(folder, progress);
  if (!database) return database.error();
  const QString name = QFileInfo(sourcePath).fileName();
  const auto known = readMark(**database, name);
  if (!known) return known.error();
  MergeMark mark = known->value_or(MergeMark{.firstLaterId = ids.next()});
  Merger merger(**database, ids, Merger::Policy::Restore,
                {.firstLaterId = mark.firstLaterId, .isResumed = known->has_value()});
  const auto onMerged = [&](qsizetype numChats) {
    mark.numChats = numChats;
    return putMark(**database, name, mark);
  };
  return mergeAll(**database, merger, **source, progress, mark.numChats, onMerged);
}

}  // namespace quire
