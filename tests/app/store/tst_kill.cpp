#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/store/backup/backups.h"
#include "app/store/database.h"
#include "tests/app/store/kill_harness.h"

using namespace quire;

namespace {

/// The long form takes longer than the five minutes that Qt gives a test; read before main().
const bool kIsPatient = qputenv("QTEST_FUNCTION_TIMEOUT", "7200000");

}  // namespace

/// Promise 4: what was reported as committed survives a kill at any moment. A kill keeps what the
/// system has not written yet, so that only tst_power_loss notices a missing sync.
class TestKill : public QObject {
  Q_OBJECT

 private slots:
  void kill_losesNothingThatWasCommitted() {
    const int kills = kill::numKills(50, 1000);
    QRandomGenerator random = kill::makeRandom();
    std::unique_ptr<QTemporaryDir> folder;
    int answers = 0;
    qint64 imports = 0;
    qint64 backups = 0;
    for (int i = 0; i < kills; ++i) {
      // Every tenth begins with an empty folder, and may be killed while it makes the database.
      const bool fromStart = i % 10 == 0;
      if (fromStart) folder = std::make_unique<QTemporaryDir>();
      const int moment = random.bounded(fromStart ? 60 : 200);
      kill::Promises promises;
      kill::OtherPromises others;
      const qint64 importedBefore = countImported(folder->path());
      QString wrong =
          kill::runAndKill(KILL_WRITER, folder->path(), moment, fromStart, promises, &others);
      if (wrong.isEmpty()) wrong = kill::verify(folder->path(), promises, &checkText);
      if (wrong.isEmpty()) wrong = verifyOthers(folder->path(), others, importedBefore);
      QVERIFY2(wrong.isEmpty(),
               qPrintable(QString("kill %1 after %2 ms: %3").arg(i).arg(moment).arg(wrong)));
      answers += kill::countAnswers(promises);
      imports += others.value("import all");
      backups += lastBackup(others).second;
    }
    qInfo("%d kills, %d answers, %lld imports and %lld backups checked", kills, answers,
          static_cast<long long>(imports), static_cast<long long>(backups));
    QVERIFY(answers > kills);
    QVERIFY(imports > 0 && backups > 0);
  }

 private:
  /// In the store as the last kill left it; 0 if there is none.
  static qint64 countImported(const QString& folder) {
    const auto database = openStoreForReading(folder);
    if (!database) return 0;
    return (*database)->number("SELECT count(*) FROM chat WHERE title = 'imported'").value();
  }

  /// The file that was made last, and its number; none and 0.
  static std::pair<QString, qint64> lastBackup(const kill::OtherPromises& others) {
    std::pair<QString, qint64> last;
    for (auto it = others.begin(); it != others.end(); ++it) {
      const auto words = it.key().split(' ');
      if (words[0] == "backup" && it.value() > last.second) {
        last = {QFile::decodeName(words[1]), it.value()};
      }
    }
    return last;
  }

  /// Drafts and folders that were promised, or later ones; all chats that were ever imported,
  /// whole; the last backup, and all that exist open; an index that fits the messages.
  static QString verifyOthers(const QString& folder, const kill::OtherPromises& others,
                              qint64 importedBefore) {
    const auto store = ConversationStore::open(folder);
    if (!store) return QString::fromStdString(store.error().message);
    qint64 imported = 0;
    const auto chats = (*store)->chats().value();
    for (const ChatRecord& chat : chats) {
      const QByteArray key = "draft " + QByteArray::number(chat.id);
      if (chat.draft.size() < others.value(key)) return key + " is lost";
      if (chat.title != QLatin1String("imported")) continue;
      ++imported;
      if ((*store)->messages(chat.id).value().size() != 2) return "an import is torn";
    }
    if (imported < importedBefore + others.value("import all")) return "an import is lost";
    QHash<QByteArray, qint64> positions;
    const auto folders = (*store)->folders().value();
    for (const FolderRecord& record : folders) {
      positions.insert("folder " + QByteArray::number(record.id), record.position);
    }
    for (auto it = others.begin(); it != others.end(); ++it) {
      const bool isFolder = it.key().startsWith("folder");
      if (isFolder && positions.value(it.key(), -1) < it.value()) return it.key() + " is lost";
    }
    return verifyBackups(folder, others) + verifyIndex(folder, **store);
  }

  static QString verifyBackups(const QString& folder, const kill::OtherPromises& others) {
    const auto backups = listBackups(folder, /*count=*/false);
    const QString promised = lastBackup(others).first;
    const auto isPromised = [&](const Backup& backup) { return backup.path.endsWith(promised); };
    if (!promised.isEmpty() && std::none_of(backups.begin(), backups.end(), isPromised)) {
      return promised + " is lost";
    }
    for (const Backup& backup : backups) {
      const auto database = openFileForReading(backup.path);
      if (!database) return QString::fromStdString(database.error().message);
      const auto verdict = (*database)->text("PRAGMA quick_check(1)");
      if (!verdict || *verdict != "ok") return backup.path + " is torn";
    }
    return {};
  }

  static QString verifyIndex(const QString& folder, ConversationStore& store) {
    for (bool more = true; more;) {
      const auto tended = store.maintain();
      if (!tended) return QString::fromStdString(tended.error().message);
      more = *tended;
    }
    const auto database = openStore(folder);
    if (!database) return QString::fromStdString(database.error().message);
    const auto checked =
        (*database)->exec("INSERT INTO message_search (message_search) VALUES ('integrity-check')");
    if (!checked) return "the index: " + QString::fromStdString(checked.error().message);
    const auto lost = (*database)->number(
        "SELECT (SELECT count(*) FROM message) - (SELECT count(*) FROM message_search_docsize)");
    if (!lost || *lost != 0) return "the index does not fit the messages";
    return {};
  }

  /// kill_writer repeats the answer's id.
  static QString checkText(const MessageRecord& answer) {
    const QString unit = QString::number(answer.id);
    const bool whole = answer.text() == unit.repeated(answer.text().size() / unit.size());
    return whole ? QString() : "answer " + unit + " is torn";
  }
};

QTEST_GUILESS_MAIN(TestKill)
#include "tst_kill.moc"
