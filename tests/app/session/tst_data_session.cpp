#include "app/session/data_session.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

#include "app/session/raise_request.h"

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

 private:
  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestDataSession)
#include "tst_data_session.moc"
