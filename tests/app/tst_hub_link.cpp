#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/hub_link/hub_link.h"
#include "app/remote/memory_secrets.h"
#include "tests/app/hub/test_hub.h"

using namespace quire;

namespace {

constexpr qint64 kBytes = 2'000'000;

/// A small model, made longer, so that its download takes a while.
QByteArray longModel() {
  QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/qwen3.gguf"));
  if (!file.open(QIODevice::ReadOnly)) qFatal("qwen3.gguf is not in the tree.");
  return file.readAll().leftJustified(kBytes, '\0');
}

/// What asks for a reply and waits for it.
template <typename T>
T wait(QObject& receiver, const std::function<PendingReply(Reply<T>)>& ask) {
  std::optional<T> got;
  const PendingReply pending = ask(Reply<T>(&receiver, [&](const T& value) { got = value; }));
  if (!QTest::qWaitFor([&] { return got.has_value(); }, 10'000)) qFatal("There is no reply.");
  return *got;
}

}  // namespace

/// The window's hub and downloads on a server like the real hubs.
class HubLinkTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    qunsetenv("HF_ENDPOINT");
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("HF_TOKEN_PATH", m_folder->filePath("no-token").toUtf8());
    m_hub = std::make_unique<TestHub>();
    m_secrets = std::make_unique<MemorySecrets>();
    m_contents = longModel();
    m_hub->addModel("org/repo-GGUF", {{"m-Q4_K_M.gguf", HubBlob::of(m_contents)},
                                      {"m-Q8_0.gguf", HubBlob::of(m_contents + "more")}});
    start();
  }
  void cleanup() {
    m_link.reset();
    m_hub.reset();
  }

  void names_areToldFromWords() {
    for (const char* name :
         {"org/repo", "qwen3:8b", "https://huggingface.co/org/repo", "hf.co/o/r"})
      QVERIFY2(namesModel(name), name);
    for (const char* words : {"qwen3", "qwen3 gguf", "what is a/b testing"})
      QVERIFY2(!namesModel(words), words);
  }

  void nothing_isSentBeforeACall() {
    m_link->restore();
    QTest::qWait(50);
    QCOMPARE(m_hub->seen().size(), 0);
  }

  void search_andListing() {
    const auto report = wait<HubSearchReport>(
        *m_link, [&](const auto& reply) { return m_link->search("repo", reply); });
    QCOMPARE(report.problem.text, QString());
    QCOMPARE(report.found.size(), 1);
    QCOMPARE(report.found[0].name, QString("org/repo-GGUF"));
    const HubListing listing = list("org/repo-GGUF");
    QCOMPARE(listing.problem.text, QString());
    QCOMPARE(listing.hub, QString("Hugging Face"));
    QCOMPARE(listing.license, QString("mit"));
    QCOMPARE(listing.choices.size(), 2);
    QCOMPARE(listing.usual, 0);
    QCOMPARE(list("org/repo-GGUF:Q8_0").usual, 1);
    QCOMPARE(listing.choices[0].label, QString("Q4_K_M"));
    QCOMPARE(listing.choices[0].bytes, kBytes);
    QCOMPARE(listing.choices[0].target, target());
    QVERIFY(listing.choices[0].fit != MachineFit::kUnknown);
    QVERIFY(!listing.choices[0].isThere);
  }

  void typeThatTheModelDoesNotHave_isSaid_andTheOthersAreListed() {
    const HubListing listing = list("org/repo-GGUF:Q5_K_M");
    QVERIFY2(listing.problem.text.contains("Q5_K_M"), qPrintable(listing.problem.text));
    QCOMPARE(listing.choices.size(), 2);
    QCOMPARE(listing.usual, -1);
  }

  void download_comesToItsPlace() {
    QStringList done;
    connect(m_link.get(), &HubAccess::downloaded, this,
            [&](const QString& path) { done.append(path); });
    get("org/repo-GGUF", 0);
    QCOMPARE(m_link->downloads().size(), 1);
    QTRY_COMPARE_WITH_TIMEOUT(done, QStringList{target()}, 10'000);
    QCOMPARE(one().state, DownloadState::kDone);
    QCOMPARE(one().bytes, kBytes);
    QVERIFY(list("org/repo-GGUF").choices[0].isThere);
    m_link->act(one().id, DownloadAction::kForget);
    QCOMPARE(m_link->downloads().size(), 0);
  }

  void newFolder_isForModelsThatAreListedToo() {
    const HubListing before = list("org/repo-GGUF");
    QList<HubListing> renewed;
    connect(m_link.get(), &HubAccess::relisted, this,
            [&](const HubListing& listing) { renewed.append(listing); });
    m_link->setFolder(m_folder->filePath("else"));
    m_link->get(before.id, 0);  // Before the listing is renewed.
    const QString there = m_folder->filePath("else/org/repo-GGUF/m-Q4_K_M.gguf");
    QTRY_COMPARE(renewed.size(), 1);
    QCOMPARE(renewed[0].choices[0].target, there);
    QTRY_COMPARE_WITH_TIMEOUT(one().state, DownloadState::kDone, 10'000);
    QVERIFY(QFileInfo::exists(there));
    QVERIFY(!QFileInfo::exists(target()));
    m_link->setFolder(m_folder->filePath("else"));
    QTRY_COMPARE(renewed.size(), 2);
    QVERIFY(renewed[1].choices[0].isThere);
    QCOMPARE(renewed[1].choices[0].path, there);
  }

  void folder_isExaminedByTheHubsThread() {
    const auto use = [&](const QString& path) {
      return wait<FolderUse>(*m_link,
                             [&](const auto& reply) { return m_link->examineFolder(path, reply); });
    };
    QCOMPARE(use(m_folder->path()), FolderUse::kUsable);
    QCOMPARE(use(m_folder->filePath("none")), FolderUse::kMissing);
    QFile file(m_folder->filePath("file"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(use(file.fileName()), FolderUse::kMissing);
  }

  void fileThatIsNotSafe_isListedWithTheReason() {
    m_hub->addModel("org/odd-GGUF", {{"con.gguf", HubBlob::of(m_contents)}});
    const HubListing listing = list("org/odd-GGUF");
    QCOMPARE(listing.choices.size(), 1);
    QCOMPARE(listing.choices[0].target, QString());
    QVERIFY2(listing.choices[0].problem.contains("not safe to store"),
             qPrintable(listing.choices[0].problem));
  }

  void gatedModel_saysWhetherThereIsAToken() {
    m_hub->addModel("org/gated-GGUF", {{"m-Q4_K_M.gguf", HubBlob::of(m_contents)}},
                    R"("gated":"auto")");
    QVERIFY(!list("org/gated-GGUF").hasToken);
    m_link->keepToken("hf_secret", Reply<QString>([](const QString&) {}));
    QVERIFY(list("org/gated-GGUF").hasToken);
  }

  void sameModel_isDownloadedOnce() {
    slow();
    get("org/repo-GGUF", 0);
    get("org/repo-GGUF", 0);
    QCOMPARE(m_link->downloads().size(), 1);
  }

  void interruptedDownload_isPausedAtTheNextStart_andGoesOn() {
    slow();
    get("org/repo-GGUF", 0);
    QTRY_VERIFY_WITH_TIMEOUT(one().bytes > 100'000, 10'000);
    m_link.reset();
    m_hub->setFaults({});
    start();
    const qsizetype numSeen = m_hub->seen().size();
    m_link->restore();
    QTRY_COMPARE(m_link->downloads().size(), 1);
    QCOMPARE(one().state, DownloadState::kPaused);
    QVERIFY2(one().bytes > 100'000 && one().bytes < kBytes,
             qPrintable(QString::number(one().bytes)));
    QTest::qWait(50);
    QCOMPARE(m_hub->seen().size(), numSeen);
    m_link->act(one().id, DownloadAction::kResume);
    QTRY_COMPARE_WITH_TIMEOUT(one().state, DownloadState::kDone, 10'000);
    QVERIFY(m_hub->seen().last().headers.contains("range"));
    QFile file(target());
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll() == m_contents);
  }

  void cancel_removesThePart_andPauseKeepsIt() {
    slow();
    get("org/repo-GGUF", 0);
    QTRY_VERIFY_WITH_TIMEOUT(one().bytes > 100'000, 10'000);
    m_link->act(one().id, DownloadAction::kPause);
    QTRY_COMPARE(one().state, DownloadState::kPaused);
    QVERIFY(QDir(modelsFolder() + "/.incoming").exists());
    m_link->act(one().id, DownloadAction::kCancel);
    QTRY_COMPARE(m_link->downloads().size(), 0);
    QVERIFY(!QDir(modelsFolder() + "/.incoming").exists());
  }

  void order_isTheUsers() {
    m_hub->setFaults(
        [](const HubRequest&, int) { return HubFault{.kind = HubFault::Kind::kSlow, .at = 2000}; });
    for (const char* name : {"org/b-GGUF", "org/c-GGUF", "org/d-GGUF"}) {
      m_hub->addModel(name, {{"m-Q4_K_M.gguf", HubBlob::of(m_contents)}});
    }
    for (const char* name : {"org/repo-GGUF", "org/b-GGUF", "org/c-GGUF", "org/d-GGUF"}) {
      get(name, 0);
    }
    const auto stateAt = [&](int row) { return m_link->downloads()[row].state; };
    QTRY_COMPARE(stateAt(1), DownloadState::kRunning);
    QCOMPARE(stateAt(3), DownloadState::kWaiting);
    const quint64 last = m_link->downloads()[3].id;
    m_link->act(last, DownloadAction::kMoveUp);
    QCOMPARE(m_link->downloads()[2].id, last);
    m_link->act(m_link->downloads()[0].id, DownloadAction::kPause);
    QTRY_COMPARE(stateAt(2), DownloadState::kRunning);
    QCOMPARE(stateAt(3), DownloadState::kWaiting);
    m_link->act(m_link->downloads()[0].id, DownloadAction::kResume);  // Both places are taken.
    QTRY_COMPARE(stateAt(0), DownloadState::kWaiting);
  }

  void token_isReadFromTheKeychain_onceTheHubWantsOne() {
    m_hub->requireToken("hf_secret");
    m_secrets->write(secretName(), "hf_secret", Reply<SecretStoring>([](const SecretStoring&) {}));
    const HubListing listing = list("org/repo-GGUF");
    QCOMPARE(listing.problem.text, QString());
    const QList<HubRequest> seen = m_hub->seen();
    QVERIFY(!seen.first().headers.contains("authorization"));
    QCOMPARE(seen.last().headers.value("authorization"), QByteArray("Bearer hf_secret"));
  }

  void missingToken_isSaid_andTheOneThatIsTypedIsKept() {
    m_hub->requireToken("hf_secret");
    const HubListing refused = list("org/repo-GGUF");
    QVERIFY(refused.problem.needsToken);
    QVERIFY(refused.choices.isEmpty());
    QString problem = "none";
    m_link->keepToken("hf_secret",
                      Reply<QString>(m_link.get(), [&](const QString& text) { problem = text; }));
    QTRY_COMPARE(problem, QString());
    QCOMPARE(m_secrets->find(secretName()), QString("hf_secret"));
    QCOMPARE(list("org/repo-GGUF").choices.size(), 2);
  }

  void downloadThatIsRefused_goesOnWithTheToken() {
    const HubListing listing = list("org/repo-GGUF");
    m_hub->requireToken("hf_secret");
    QCOMPARE(m_link->get(listing.id, 0).text, QString());
    QTRY_COMPARE(one().state, DownloadState::kFailed);
    QVERIFY(one().problem.needsToken);
    m_link->keepToken("hf_secret", Reply<QString>([](const QString&) {}));
    m_link->act(one().id, DownloadAction::kResume);
    QTRY_COMPARE_WITH_TIMEOUT(one().state, DownloadState::kDone, 10'000);
  }

  void token_staysWithItsHub() {
    m_link->keepToken("hf_secret", Reply<QString>([](const QString&) {}));
    TestHub mirror;
    mirror.addModel("org/repo-GGUF", {{"m-Q4_K_M.gguf", HubBlob::of(m_contents)}});
    QCOMPARE(m_link->setMirror(mirror.address()), QString());
    get("org/repo-GGUF", 0);
    QTRY_COMPARE_WITH_TIMEOUT(one().state, DownloadState::kDone, 10'000);
    for (const HubRequest& request : mirror.seen()) {
      QVERIFY(!request.headers.contains("authorization"));
    }
    QVERIFY(!m_link->setMirror("no address").isEmpty());
    QCOMPARE(m_link->setMirror({}), QString());
    QCOMPARE(m_link->hubHost(), QString("127.0.0.1:%1").arg(m_hub->port()));
  }

  void setOfFiles_isLoadedByItsFirst() {
    m_hub->addModel("org/split-GGUF", {{"m-Q8_0-00001-of-00003.gguf", HubBlob::of(part(1))},
                                       {"m-Q8_0-00002-of-00003.gguf", HubBlob::of(part(2))},
                                       {"m-Q8_0-00003-of-00003.gguf", HubBlob::of(part(3))}});
    get("org/split-GGUF", 0);
    QTRY_COMPARE_WITH_TIMEOUT(one().state, DownloadState::kDone, 10'000);
    QCOMPARE(QFileInfo(one().path).fileName(), QString("m-Q8_0-00001-of-00003.gguf"));
    QVERIFY(QFileInfo::exists(one().path));
  }

 private:
  void start() {
    m_link = std::make_unique<HubLink>(
        *m_secrets,
        HubLinkOptions{
            .endpoint = QUrl(m_hub->address()),
            .folder = modelsFolder(),
            .downloads = {.timeouts = {.connectMs = 2000, .firstByteMs = 2000, .silenceMs = 2000},
                          .spareBytes = 0}},
        nullptr);
  }
  /// Some hundred kilobytes a second.
  void slow() {
    m_hub->setFaults(
        [](const HubRequest&, int) { return HubFault{.kind = HubFault::Kind::kSlow, .at = 5000}; });
  }
  static QByteArray part(int number) {
    QFile file(QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/gguf/llama_split-0000%1-of-00003.gguf")
                   .arg(number));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  QString modelsFolder() const { return m_folder->filePath("models"); }
  QString target() const { return modelsFolder() + "/org/repo-GGUF/m-Q4_K_M.gguf"; }
  QString secretName() const { return "hub.token@127.0.0.1:" + QString::number(m_hub->port()); }
  HubListing list(const QString& name) {
    return wait<HubListing>(*m_link, [&](const auto& reply) { return m_link->list(name, reply); });
  }
  void get(const QString& name, int choice) {
    const HubListing listing = list(name);
    QCOMPARE(listing.problem.text, QString());
    QCOMPARE(m_link->get(listing.id, choice).text, QString());
  }
  HubDownload one() const { return m_link->downloads().value(0); }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<TestHub> m_hub;
  std::unique_ptr<MemorySecrets> m_secrets;
  QByteArray m_contents;
  std::unique_ptr<HubLink> m_link;
};

QTEST_MAIN(HubLinkTest)
#include "tst_hub_link.moc"
