#include <QDirIterator>
#include <QLocale>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/model_library.h"
#include "app/models/remote_labels.h"
#include "app/remote/memory_secrets.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

const QByteArray kKey = "sk-never-on-disk-4711";

/// The files below a folder that hold these bytes.
QStringList filesWith(const QString& folder, const QByteArray& bytes) {
  QStringList found;
  QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    if (!file.open(QIODevice::ReadOnly)) continue;
    if (file.readAll().contains(bytes)) found.append(file.fileName());
  }
  return found;
}

}  // namespace

/// Entering, testing, changing and removing machines with models.
class RemoteModelsTest : public QObject {
  Q_OBJECT

 private slots:
  void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_secrets = std::make_unique<MemorySecrets>();
    m_report = {.models = {"a", "b"}, .server = ServerKind::kVllm};
    m_tested.clear();
    m_testedKeys.clear();
    m_applied.clear();
    open();
  }
  void cleanup() { close(); }

  void endpoint_isTestedStoredAndReadAgain() {
    enter("api.example.com", kKey);
    QCOMPARE(editor().addressNote(), QString("Requests go to https://api.example.com/v1."));
    editor().setInputPrice("0,5");
    editor().setOutputPrice("2");
    editor().test();
    QVERIFY(editor().isTesting());
    QTRY_VERIFY(!editor().isTesting());
    QCOMPARE(editor().result(), QString("It works and has 2 model(s)."));
    QVERIFY(!editor().hasFailed());
    QCOMPARE(m_testedKeys, (QList<std::optional<QString>>{QString(kKey)}));
    editor().models()->toggle("a");
    editor().save();
    QVERIFY(!editor().isOpen());
    QCOMPARE(remote().count(), 1);
    QCOMPARE(m_tested.size(), 1);

    close();
    open();
    QCOMPARE(remote().count(), 1);
    QCOMPARE(m_applied.size(), 1);
    const RemoteEndpoint endpoint = m_applied.first();
    QCOMPARE(endpoint.name, QString("api.example.com"));
    QCOMPARE(endpoint.models, QStringList{"b"});
    QVERIFY(endpoint.hasKey && endpoint.server == ServerKind::kVllm);
    QCOMPARE(*endpoint.inputPrice, 0.5);
    QCOMPARE(m_secrets->find(secretName(endpoint)), QString(kKey));
    const QString path = remotePath(endpoint.id, "b");
    QCOMPARE(remote().endpointOf(path)->id, endpoint.id);
    QCOMPARE(remote().nameOf(path), QString("b · api.example.com"));
    QCOMPARE(remote().choices()->numRows(), 1);
  }

  void key_isNotInTheUsersData() {
    enter("api.example.com", kKey);
    editor().setName("Office of marks");
    editor().save();
    QTRY_COMPARE(remote().count(), 1);
    m_session->flush(5000);
    QVERIFY(!filesWith(m_folder->path(), "Office of marks").isEmpty());
    QCOMPARE(filesWith(m_folder->path(), kKey), QStringList());
    close();
    QCOMPARE(filesWith(m_folder->path(), kKey), QStringList());
  }

  void save_testsFirst() {
    m_report.error = "It is asleep.";
    enter("api.example.com");
    QCOMPARE(editor().saveText(), QString("Save"));
    editor().models()->add("by-hand");
    editor().save();
    QTRY_COMPARE(editor().result(), QString("It is asleep."));
    QVERIFY(editor().isOpen() && editor().hasFailed());
    QCOMPARE(remote().count(), 0);
    QCOMPARE(editor().saveText(), QString("Save anyway"));
    editor().save();
    QCOMPARE(remote().count(), 1);
    QCOMPARE(m_tested.size(), 1);
  }

  void save_needsAModel() {
    m_report.models = {"a", "b", "c", "d", "e"};  // Too many to choose all of them.
    enter("api.example.com");
    editor().save();
    QTRY_VERIFY2(editor().result().startsWith("Choose"), qPrintable(editor().result()));
    QVERIFY(editor().isOpen());
    editor().models()->toggle("c");
    editor().save();
    QCOMPARE(remote().count(), 1);
  }

  void wrongEntries_areNotSaved() {
    enter("ftp://example.com");
    QVERIFY(!editor().addressProblem().isEmpty());
    QVERIFY(!editor().canTest());
    editor().save();
    QVERIFY(m_tested.isEmpty());
    editor().setAddress("example.com");
    editor().setInputPrice("much");
    QVERIFY(!editor().priceProblem().isEmpty());
    editor().save();
    QVERIFY(m_tested.isEmpty());
    editor().setInputPrice("");
    QCOMPARE(editor().priceProblem(), QString());
  }

  void staleResults_areIgnored() {
    enter("one.example.com");
    editor().test();
    editor().setAddress("two.example.com");
    QVERIFY(!editor().isTesting());
    QTest::qWait(50);
    QCOMPARE(editor().result(), QString());
    QCOMPARE(editor().models()->count(), 0);
  }

  /// A stored key stays with its host.
  void change_keepsTheKeyOfTheSameHostOnly() {
    enter("https://a.example.com", kKey);
    editor().save();
    QTRY_COMPARE(remote().count(), 1);
    const RemoteEndpoint before = m_applied.first();
    remote().edit(before.id);
    QCOMPARE(editor().key(), QString());
    QVERIFY(editor().keyHint().startsWith("Stored"));
    editor().setAddress("https://a.example.com/v2");
    editor().save();
    QTRY_COMPARE(m_applied.first().baseUrl.path(), QString("/v2"));
    QVERIFY(m_applied.first().hasKey);
    QCOMPARE(m_testedKeys.last(), std::nullopt);

    remote().edit(before.id);
    editor().setAddress("https://b.example.com");
    QVERIFY(!editor().keyHint().startsWith("Stored"));
    editor().save();
    QTRY_COMPARE(m_applied.first().baseUrl.host(), QString("b.example.com"));
    QVERIFY(!m_applied.first().hasKey);
    QCOMPARE(m_applied.first().id, before.id);
    QCOMPARE(m_secrets->find(secretName(before)), QString());
  }

  void remove_forgetsTheKey() {
    enter("https://a.example.com", kKey);
    editor().save();
    QTRY_COMPARE(remote().count(), 1);
    const RemoteEndpoint endpoint = m_applied.first();
    QCOMPARE(m_secrets->find(secretName(endpoint)), QString(kKey));
    remote().remove(endpoint.id);
    QCOMPARE(remote().count(), 0);
    QVERIFY(m_applied.isEmpty());
    QCOMPARE(m_secrets->find(secretName(endpoint)), QString());
    QCOMPARE(remote().choices()->numRows(), 0);
    QCOMPARE(remote().nameOf(remotePath(endpoint.id, "org/m")), QString("org/m"));
  }

  void missingKeychain_isSaid() {
    m_secrets->storing = {.isStored = false, .error = "No D-Bus."};
    enter("https://a.example.com", kKey);
    editor().save();
    QTRY_VERIFY2(remote().notice().contains("No D-Bus."), qPrintable(remote().notice()));
    QVERIFY(remote().notice().contains("a.example.com"));
    remote().dismissNotice();
    QCOMPARE(remote().notice(), QString());
  }

  void labels_sayWhatLeaves() {
    RemoteEndpoint endpoint = {.name = "Office", .baseUrl = QUrl("http://10.0.0.5:8000/v1")};
    QVERIFY(remote_labels::warning(endpoint).contains("leaves this computer"));
    QVERIFY(remote_labels::warning(endpoint).contains("not encrypted"));
    QVERIFY(remote_labels::warning(endpoint).contains("10.0.0.5:8000"));
    endpoint.baseUrl = QUrl("https://api.example.com/v1");
    QVERIFY(!remote_labels::warning(endpoint).contains("not encrypted"));
    endpoint.baseUrl = QUrl("http://localhost:11434/v1");
    QVERIFY(!remote_labels::warning(endpoint).contains("leaves"));
    QVERIFY(!remote_labels::place(endpoint).contains("leaves"));
  }

  void labels_countTokensAndCost() {
    MessageRecord answer;
    answer.modelFingerprint = remotePath("a1", "m");
    QVERIFY(remote_labels::isRemote(answer));
    QCOMPARE(remote_labels::usage(answer, nullptr), QString());
    answer.promptTokens = 1204;
    answer.outputTokens = 310;
    QCOMPARE(remote_labels::usage(answer, nullptr), QString("1,204 tokens in · 310 out"));
    answer.cachedTokens = 1024;
    RemoteEndpoint endpoint = {.name = "Office"};
    endpoint.inputPrice = 0.5;
    endpoint.outputPrice = 2.0;
    QCOMPARE(remote_labels::usage(answer, &endpoint),
             QString("1,204 tokens in (1,024 cached) · 310 out · $0.0012"));
    QVERIFY(remote_labels::usageHint(answer, &endpoint).contains("$0.50 in, $2.00 out"));
    endpoint.inputPrice.reset();
    endpoint.outputPrice = 0.0;
    QVERIFY(remote_labels::usage(answer, &endpoint).endsWith("· $0"));
  }

 private:
  void open() {
    m_session = std::make_unique<DataSession>(m_folder->path());
    QVERIFY(m_session->open());
    m_generation = std::make_unique<GenerationDefaults>(m_backend, *m_session);
    m_library = std::make_unique<ModelLibrary>(m_backend, *m_session, *m_generation);
    remote().setTools({.apply = [this](const QList<RemoteEndpoint>& all) { m_applied = all; },
                       .test =
                           [this](const RemoteEndpoint& endpoint, const std::optional<QString>& key,
                                  Reply<EndpointReport> reply) {
                             m_tested.append(endpoint);
                             m_testedKeys.append(key);
                             reply(m_report);
                           },
                       .secrets = m_secrets.get()});
    m_library->load();
  }
  void close() {
    if (!m_session) return;
    m_library.reset();
    m_generation.reset();
    m_session->flush(5000);
    m_session.reset();
  }
  void enter(const QString& address, const QString& key = {}) {
    remote().add();
    QVERIFY(editor().isOpen() && editor().isNew());
    editor().setAddress(address);
    editor().setKey(key);
  }
  RemoteModels& remote() { return *m_library->remote(); }
  EndpointEditor& editor() { return *remote().editor(); }

  FakeBackend m_backend;
  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<MemorySecrets> m_secrets;
  std::unique_ptr<DataSession> m_session;
  std::unique_ptr<GenerationDefaults> m_generation;
  std::unique_ptr<ModelLibrary> m_library;
  EndpointReport m_report;
  QList<RemoteEndpoint> m_tested;
  QList<std::optional<QString>> m_testedKeys;
  QList<RemoteEndpoint> m_applied;
};

QTEST_GUILESS_MAIN(RemoteModelsTest)
#include "tst_remote_models.moc"
