#include "app/session/data_session.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include "app/engine/load_marker.h"
#include "app/models/files/file_hash.h"
#include "app/models/files/move_journal.h"
#include "app/models/scan/facts_cache.h"
#include "app/models/scan/model_verdicts.h"
#include "app/session/raise_request.h"
#include "app/store/backup/store_rescue.h"

using namespace quire;

namespace {

constexpr uid_t kNobody = 65534;

quint32 modeOf(const QString& path) {
  struct stat status {};
  if (::stat(QFile::encodeName(path).constData(), &status) != 0) return 0;
  return status.st_mode & 0777;
}

/// Root may write everywhere, so it becomes another user, who owns the folder, for a while.
class OrdinaryUser {
 public:
  explicit OrdinaryUser(const QString& folder) : m_wasRoot(::geteuid() == 0) {
    if (!m_wasRoot) return;
    if (::chown(QFile::encodeName(folder).constData(), kNobody, kNobody) != 0) qFatal("chown");
    if (::seteuid(kNobody) != 0) qFatal("seteuid");
  }
  ~OrdinaryUser() {
    if (m_wasRoot && ::seteuid(0) != 0) qFatal("seteuid");
  }
  OrdinaryUser(const OrdinaryUser&) = delete;
  OrdinaryUser& operator=(const OrdinaryUser&) = delete;

 private:
  const bool m_wasRoot;
};

}  // namespace

class TestDataSession : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  /// In a read-only folder the store itself can be written as long as its log exists, so that a
  /// second program is kept out by the lock alone.
  void lockThatCannotBeMade_keepsASecondWriterOut() {
    const OrdinaryUser user(m_folder->path());
    const auto first = ConversationStore::open(m_folder->path());
    QVERIFY2(first, first ? "" : first.error().message.c_str());
    QVERIFY((*first)->putSetting("a", "b"));
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::ExeOwner);
    QVERIFY(ConversationStore::open(m_folder->path()));
    const auto second = DataSession::prepare(m_folder->path());
    QFile::setPermissions(m_folder->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QVERIFY(!second);
    const QString sentence = QString::fromStdString(second.error().message);
    QVERIFY2(sentence.contains("cannot be locked"), qPrintable(sentence));
  }

  /// A log that is left is taken for that of a crash.
  void closedSession_leavesNoLog() {
    const QString log = m_folder->path() + "/quire.db-wal";
    auto session = std::make_unique<DataSession>(m_folder->path());
    for (const bool isDeleted : {false, true}) {
      QVERIFY(session->open());
      session->putSetting("a", "b");
      session->flush(20'000);
      QVERIFY(QFileInfo(log).size() > 0);
      isDeleted ? session.reset() : session->close();
      QVERIFY(!QFile::exists(log));
    }
  }

  /// What was put is newer than the store; what an import added is read.
  void settings_areThoseOfTheStore_andThosePutSince() {
    const auto store = ConversationStore::open(m_folder->path());
    QVERIFY(store);
    QVERIFY((*store)->putSetting("a", "stored"));
    QVERIFY((*store)->putSetting("noted", ""));
    QVERIFY((*store)->putModelSettings({.path = "/model", .contextLength = 4096}));
    DataSession session(m_folder->path());
    QCOMPARE(session.setting("a"), "");
    QVERIFY(session.open());
    QCOMPARE(session.setting("a"), "stored");
    QCOMPARE(session.modelSettings("/model").contextLength, std::optional(4096));
    QCOMPARE(session.modelSettings("/other"), ModelSettings{.path = "/other"});
    session.putSetting("a", "put");
    session.flush(60'000);
    QVERIFY((*store)->putSetting("a", "older"));
    QVERIFY((*store)->putSetting("b", "imported"));
    QVERIFY((*store)->putSetting("noted", "by an import"));
    QCOMPARE(session.setting("b"), "");
    session.addStoredSettings();
    QCOMPARE(session.setting("a"), "put");
    QCOMPARE(session.setting("b"), "imported");
    QCOMPARE(session.setting("noted"), "by an import");
  }

  void secondSession_isRefused() {
    const auto first = DataSession::prepare(m_folder->path());
    QVERIFY(first);
    const auto second = DataSession::prepare(m_folder->path());
    QVERIFY(!second);
    QVERIFY(QString::fromStdString(second.error().message).contains("already running"));
  }

  /// Until its window is closed, it may replace the store.
  void sessionThatCannotOpenItsStore_keepsOthersOut() {
    QFile file(m_folder->filePath("quire.db"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("not a database at all") > 0);
    file.close();
    DataSession first(m_folder->path());
    QVERIFY(!first.open());
    QVERIFY(first.isLocked());
    DataSession second(m_folder->path());
    const auto opened = second.open();
    QVERIFY(!opened);
    QVERIFY2(opened.error().message.find("already running") != std::string::npos,
             opened.error().message.c_str());
    QVERIFY(!second.isLocked());
    QVERIFY(startAfresh(m_folder->path()));
    QVERIFY(first.open());
  }

  void files_arePrivateWhateverTheUmask() {
    const mode_t before = ::umask(0);
    {
      const auto lock = DataSession::prepare(m_folder->path());
      QVERIFY(lock);
      const RaiseRequest running(m_folder->path());
      QVERIFY(!RaiseRequest::askRunning(m_folder->path(), 0));  // Nobody answers in no time.
      for (const char* name : {"quire.lock", "quire.db"}) {
        QCOMPARE(modeOf(m_folder->filePath(name)), 0600u);
      }
      QCOMPARE(modeOf(m_folder->filePath("window")), 0700u);
    }
    ::umask(before);
  }

  /// Another program may have put them there; what they lead to is not Quire's.
  void linksInTheFolder_areNotWrittenThrough() {
    const QStringList names = {"loading",     "verdicts.json", "models.json",
                               "hashes.json", "move.json",     "window/raise"};
    QVERIFY(QDir(m_folder->path()).mkpath("window"));
    for (const QString& name : names) {
      QFile target(m_folder->filePath(targetOf(name)));
      QVERIFY(target.open(QIODevice::WriteOnly) && target.write("another's") > 0);
      target.close();
      QVERIFY(target.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther));
      QVERIFY(target.link(m_folder->filePath(name)));
    }
    LoadMarker marker(m_folder->path());
    marker.begin("/models/a.gguf");
    ModelVerdicts(m_folder->filePath("verdicts.json"), "1").setRead("/models/a.gguf", "stamp");
    FactsCache facts(m_folder->filePath("models.json"), "1");
    facts.put("/models/a.gguf", "stamp", {});
    facts.save();
    HashCache hashes(m_folder->filePath("hashes.json"));
    hashes.put({.path = "/models/a.gguf"}, QByteArray(64, 'a'));
    hashes.save();
    QVERIFY(MoveJournal(m_folder->filePath("move.json")).write({}));
    askNobody();
    for (const QString& name : names) {
      const QFileInfo made(m_folder->filePath(name));
      QVERIFY2(!made.isSymLink(), qPrintable(name));
      if (name != "window/raise") QVERIFY2(made.isFile(), qPrintable(name));
      QFile target(m_folder->filePath(targetOf(name)));
      QVERIFY(target.open(QIODevice::ReadOnly));
      QCOMPARE(target.readAll(), QByteArray("another's"));
      QVERIFY2(target.permissions().testFlag(QFile::ReadOther), qPrintable(name));
    }
  }

 private:
  static QString targetOf(const QString& name) { return name.section('/', -1) + ".target"; }

  /// A second start, which nobody answers: it takes its request away again.
  void askNobody() const {
    const auto running = DataSession::prepare(m_folder->path());
    QVERIFY(running);
    QVERIFY(!RaiseRequest::askRunning(m_folder->path(), 0));
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestDataSession)
#include "tst_data_session.moc"
