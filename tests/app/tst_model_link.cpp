#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include "app/engine/load_marker.h"
#include "app/model_link.h"
#include "app/models/scan/model_inspector.h"
#include "tests/support/fake_backend.h"

using namespace quire;

namespace {

const FirstModel kFirst = {.named = {}, .bundled = "/quire/bundled"};

ModelState serving(const QString& path) {
  ModelState state;
  state.path = path;
  state.state = ModelState::State::kReady;
  state.serving = true;
  state.primary = true;
  return state;
}

}  // namespace

/// Which model is loaded when the program starts.
class ModelLinkTest : public QObject {
  Q_OBJECT

 private slots:
  void init() { m_folder = std::make_unique<QTemporaryDir>(); }

  void firstStart_loadsTheBundledModel() { QCOMPARE(start(kFirst), QStringList("/quire/bundled")); }

  void nextStart_loadsTheLastOne_withItsOptions() {
    rememberOwn();
    FakeBackend backend;
    AppModel app(backend, m_folder->path(), {});
    linkModels(app, backend, kFirst);
    app.open();
    QCOMPARE(backend.loads.size(), 1);
    QCOMPARE(backend.loads[0].path, QString("/models/own.gguf"));
    QCOMPARE(backend.loads[0].contextLength, std::optional(2048));
  }

  void namedModel_wins() {
    rememberOwn();
    QCOMPARE(start({.named = "/other.gguf", .bundled = "/quire/bundled"}),
             QStringList("/other.gguf"));
  }

  void diedLoading_isNotLoadedAgain() {
    rememberOwn();
    dieLoading("/models/own.gguf");
    FakeBackend backend;
    AppModel app(backend, m_folder->path(), {});
    linkModels(app, backend, kFirst);
    app.open();
    QCOMPARE(backend.loads.size(), 1);
    QCOMPARE(backend.loads[0].path, QString("/quire/bundled"));
    QVERIFY2(app.models()->notice().contains("own.gguf"), qPrintable(app.models()->notice()));
  }

  void diedLoading_named_isLoaded() {
    rememberOwn();
    dieLoading("/models/own.gguf");
    QCOMPARE(start({.named = "/models/own.gguf", .bundled = "/quire/bundled"}),
             QStringList("/models/own.gguf"));
  }

  void diedLoadingAnother_changesNothing() {
    rememberOwn();
    dieLoading("/models/other.gguf");
    QCOMPARE(start(kFirst), QStringList("/models/own.gguf"));
  }

  void missingInspector_isSaid() {
    FakeBackend backend;
    AppModel app(backend, m_folder->path(), {});
    linkModels(app, backend, kFirst,
               std::make_shared<ModelInspector>(ModelInspector::Options{.program = "/no/such"}));
    app.open();
    QVERIFY2(app.models()->notice().contains("quire-inspect"), qPrintable(app.models()->notice()));
  }

  void lastModelThatFails_isReplacedByTheBundledOne_once_andSaysWhy() {
    rememberOwn();
    FakeBackend backend;
    AppModel app(backend, m_folder->path(), {});
    linkModels(app, backend, kFirst);
    app.open();
    backend.setState(ModelManager::State::Loading, "Loading own.gguf…", 0.1);
    QCOMPARE(backend.loads.size(), 1);
    backend.setState(ModelManager::State::Failed, "There is no file own.gguf.");
    QCOMPARE(backend.loads.size(), 2);
    QCOMPARE(backend.loads[1].path, QString("/quire/bundled"));
    QCOMPARE(app.models()->notice(), QString("There is no file own.gguf."));
    backend.setState(ModelManager::State::Failed, "Nor a bundled one.");
    QCOMPARE(backend.loads.size(), 2);
  }

  void lastModelThatLoads_leavesLaterFailuresAlone() {
    rememberOwn();
    FakeBackend backend;
    AppModel app(backend, m_folder->path(), {});
    linkModels(app, backend, kFirst);
    app.open();
    backend.setState(ModelManager::State::Ready);
    backend.setState(ModelManager::State::Failed, "Something else.");
    QCOMPARE(backend.loads.size(), 1);
  }

 private:
  void dieLoading(const QString& path) const {
    const pid_t child = ::fork();
    if (child == 0) {
      LoadMarker marker(m_folder->path());
      marker.begin(path);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  /// The user loads a model of their own with a short context and leaves.
  void rememberOwn() {
    FakeBackend backend;
    AppModel app(backend, m_folder->path(), {});
    app.open();
    backend.setModels({serving("/models/own.gguf")});
    app.models()->cards().find("/models/own.gguf")->options()->setContextLength(2048);
    app.close();
  }
  QStringList start(const FirstModel& first) {
    FakeBackend backend;
    AppModel app(backend, m_folder->path(), {});
    linkModels(app, backend, first);
    app.open();
    QStringList paths;
    for (const LoadRequest& load : backend.loads) paths.append(load.path);
    return paths;
  }

  std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_MAIN(ModelLinkTest)
#include "tst_model_link.moc"
