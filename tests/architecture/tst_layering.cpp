#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QTest>

#include "tests/architecture/layering.h"
#include "tests/architecture/qml_conditions.h"

using quire::check_qml_conditions;
using quire::check_source;
using quire::Violation;

/// The rules of the house hold in every source file, and the checker notices when they do not.
class TestLayering : public QObject {
  Q_OBJECT

 private slots:
  void checkSource_judgesOneLine_data();
  void checkSource_judgesOneLine();
  void checkSource_limitsLength_data();
  void checkSource_limitsLength();
  void checkSource_namesFileAndLine();
  void checkQmlConditions_judgesOneLine_data();
  void checkQmlConditions_judgesOneLine();
  void tree_followsTheRules();
  void classNames_areUniqueInTheirNamespace();
};

void TestLayering::checkSource_judgesOneLine_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("line");
  QTest::addColumn<bool>("allowed");
  const auto row = [](const char* path, const char* line, bool allowed) {
    QTest::addRow("%s: %s", path, line) << QString(path) << QString(line) << allowed;
  };
  row("platform/file_windows.cpp", "#include <windows.h>", true);
  row("platform/file_posix.cpp", "#include \"kernels/base/result.h\"", false);
  row("kernels/cpu/cpu_memory.cpp", "#include \"platform/memory.h\"", true);
  row("kernels/cpu/cpu_memory.cpp", "#include <windows.h>", false);
  row("kernels/base/dtype.h", "#include <cstdint>", true);
  row("kernels/base/dtype.h", "#include \"kernels/base/check.h\"", true);
  row("kernels/base/dtype.h", "#include \"kernels/backend.h\"", false);
  row("kernels/cpu/linear.cpp", "#include <immintrin.h>", true);
  row("kernels/cpu/linear.cpp", "#include \"engine/engine.h\"", false);
  row("kernels/cpu/linear.cpp", "#include \"kernels/cuda/stream.h\"", false);
  row("kernels/cpu/linear.cpp", "#include <QString>", false);
  row("kernels/cpu/linear.cpp", "#include <nlohmann/json.hpp>", false);
  row("kernels/cpu/linear.cpp", "  #  include <QtCore/QString>", false);
  row("engine/io/safetensors.cpp", "#include <nlohmann/json.hpp>", true);
  row("engine/io/safetensors.cpp", "#include <sys/mman.h>", false);
  row("engine/io/safetensors.cpp", "#include \"platform/file.h\"", true);
  row("engine/io/mapping_guard.cpp", "#include <sys/mman.h>", true);
  row("engine/models/llama.cpp", "#include \"platform/file.h\"", false);
  row("engine/io/safetensors.cpp", "#include \"engine/tokenizer/tokenizer.h\"", false);
  row("engine/models/llama.cpp", "#include \"engine/cache/cache_storage.h\"", true);
  row("engine/models/llama.cpp", "#include \"kernels/cpu/cpu_backend.h\"", false);
  row("engine/models/llama.cpp", "#include \"engine/model_loader.h\"", false);
  row("engine/cache/block_pool.h", "#include \"engine/models/decoder.h\"", false);
  row("engine/cache/block_pool.h", "#include \"engine/scheduler/sequence.h\"", false);
  row("engine/scheduler/scheduler.h", "#include \"engine/cache/block_pool.h\"", true);
  row("engine/scheduler/scheduler.h", "#include \"engine/engine.h\"", false);
  row("engine/engine.cpp", "#include \"engine/scheduler/scheduler.h\"", true);
  row("engine/engine.cpp", "#include \"app/engine/chat_backend.h\"", false);
  row("engine/engine.cpp", "#include <QObject>", false);
  row("engine/engine.cpp", "#include \"request.h\"", false);
  row("engine/engine.cpp", "for (const auto& entry : fs::directory_iterator(at, error)) {", false);
  row("engine/engine.cpp", "for (fs::directory_iterator at(path, error), end; at != end;", true);
  row("tests/engine/tst_x.cpp", "for (const auto& e : fs::directory_iterator(at)) {", true);
  row("platform/file_posix.cpp", "#include <unistd.h>", true);
  row("app/confine/confine.cpp", "#include <sys/prctl.h>", true);
  row("app/end_signals.cpp", "#include <signal.h>", true);
  row("app/store/data_folder.cpp", "#include <unistd.h>", false);
  row("app/store/data_folder.cpp", "#include \"platform/folder.h\"", true);
  row("app/chat/chat_model.cpp", "#include \"platform/file.h\"", false);
  row("app/server/http/http_session.h", "#include \"platform/file.h\"", false);
  row("app/bundled_model.cpp", "#include \"platform/program.h\"", true);
  row("app/main.cpp", "#include <unistd.h>", false);
  row("app/engine/engine_worker.h", "#include <QThread>", true);
  row("app/engine/engine_worker.h", "#include \"engine/engine.h\"", true);
  row("app/engine/engine_worker.h", "#include \"app/chat/chat_model.h\"", false);
  row("app/engine/engine_worker.h", "#include \"kernels/cpu/thread_pool.h\"", false);
  row("app/store/database.cpp", "#include <sqlite3.h>", true);
  row("app/store/database.cpp", "#include \"app/engine/engine_service.h\"", false);
  row("app/store/tst.cpp", "#include \"tst.moc\"", true);
  row("app/server/api/generation.cpp", "#include \"app/server/http/http_message.h\"", true);
  row("app/server/api/generation.cpp", "#include \"app/chat/chat_model.h\"", false);
  row("app/cli/serve.cpp", "#include \"app/server/serve.h\"", true);
  row("app/cli/serve.cpp", "#include \"app/server/api_server.h\"", false);
  row("app/server/http/http_session.h", "#include <boost/asio/ip/tcp.hpp>", true);
  row("app/server/http/http_session.h", "#include <QString>", false);
  row("app/server/http/access_rules.h", "#include \"app/server/metrics.h\"", false);
  row("app/server/metrics.cpp", "#include <boost/asio/ip/tcp.hpp>", false);
  row("app/cli/chat.cpp", "#include <CLI/CLI.hpp>", true);
  row("app/cli/chat.cpp", "#include <QString>", false);
  row("app/engine/x.cpp", "connect(a, &A::b, c, &C::d, Qt::BlockingQueuedConnection);", false);
  row("app/main.cpp", "engine.rootContext()->setContextProperty(\"chats\", &chats);", false);
  row("ui/Main.qml", "import QtQuick.Controls", true);
  row("ui/Main.qml", "import Quire", true);
  row("ui/Main.qml", "import \"chat\"", false);
  row("ui/Main.qml", "import \"../helpers.js\" as Helpers", false);
  row("ui/Main.qml", "    property var model", false);
  row("ui/Main.qml", "    required property string title", true);
  row("tests/app/tst_x.cpp", "#include \"kernels/cpu/thread_pool.h\"", true);
}

void TestLayering::checkSource_judgesOneLine() {
  QFETCH(QString, path);
  QFETCH(QString, line);
  QFETCH(bool, allowed);
  const auto found = check_source(path.toStdString(), line.toStdString() + "\n");
  QCOMPARE(found.empty(), allowed);
}

void TestLayering::checkSource_limitsLength_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<int>("lines");
  QTest::addColumn<bool>("allowed");
  QTest::newRow("longest source") << "engine/engine.cpp" << 600 << true;
  QTest::newRow("too long a source") << "engine/engine.cpp" << 601 << false;
  QTest::newRow("generated table") << "engine/tokenizer/unicode_table.cpp" << 5000 << true;
  QTest::newRow("longest QML") << "ui/Main.qml" << 150 << true;
  QTest::newRow("too long a QML") << "ui/Main.qml" << 151 << false;
  QTest::newRow("too long a test") << "tests/engine/tst_engine.cpp" << 601 << false;
}

void TestLayering::checkSource_limitsLength() {
  QFETCH(QString, path);
  QFETCH(int, lines);
  QFETCH(bool, allowed);
  const std::string content(static_cast<size_t>(lines), '\n');
  QCOMPARE(check_source(path.toStdString(), content).empty(), allowed);
}

void TestLayering::checkSource_namesFileAndLine() {
  const auto found = check_source("engine/engine.cpp", "#pragma once\n#include <QObject>\n");
  QCOMPARE(found.size(), size_t{1});
  QCOMPARE(found[0].file, std::string("engine/engine.cpp"));
  QCOMPARE(found[0].line, 2);
  QCOMPARE(found[0].message, std::string("engine/ may not use the library of <QObject>"));
}

void TestLayering::checkQmlConditions_judgesOneLine_data() {
  QTest::addColumn<QString>("line");
  QTest::addColumn<bool>("allowed");
  const auto row = [](const char* line, bool allowed) {
    QTest::addRow("%s", line) << QString(line) << allowed;
  };
  row("visible: footer.chat.turns.continuable === footer.messageId", false);
  row("checked: rail.navigation.page === Navigation.Models", false);
  row("readonly property bool running: footer.phase <= TimelineModel.Writing", false);
  row("warns: meter.chat.composer.contextFraction > 0.85", false);
  row("changed: card.appearance.themeChoice !== \"system\"", false);
  row("isSet: view.options.threads > 0", false);
  row("visible: footer.chat.turns.canContinue", true);
  row("visible: head.library.folderProblem !== \"\"", true);
  row("visible: strip.model.rows.count > 0", true);
  row("visible: sheet.chat.details !== null", true);
  row("checked: welcome.chat.personaId === personaId", true);
  row("checked: picker.chat.ownModelPath === path", true);
  row("chosen: look.editor.colorIndex === index", true);
  row("begins: actions.x + actions.width === actions.parent.width", true);
  row("event.accepted = event.key === Qt.Key_Escape", true);
  row("visible: text !== \"\" && !header.narrow  // Not a.b.c > 1.", true);
}

void TestLayering::checkQmlConditions_judgesOneLine() {
  QFETCH(QString, line);
  QFETCH(bool, allowed);
  QCOMPARE(check_qml_conditions("ui/Main.qml", line.toStdString()).empty(), allowed);
}

void TestLayering::tree_followsTheRules() {
  const QDir root(QUIRE_SOURCE_DIR);
  int checked = 0;
  QStringList broken;
  for (const char* folder : {"platform", "kernels", "engine", "app", "ui", "tests"}) {
    QDirIterator files(root.filePath(folder), {"*.h", "*.cpp", "*.cu", "*.cuh", "*.qml"},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
      const std::string path = root.relativeFilePath(file.fileName()).toStdString();
      const std::string content = file.readAll().toStdString();
      std::vector<Violation> found = check_source(path, content);
      const std::vector<Violation> conditions = check_qml_conditions(path, content);
      found.insert(found.end(), conditions.begin(), conditions.end());
      for (const Violation& violation : found) {
        broken << QString("%1:%2: %3")
                      .arg(QString::fromStdString(violation.file))
                      .arg(violation.line)
                      .arg(QString::fromStdString(violation.message));
      }
      ++checked;
    }
  }
  QVERIFY2(checked > 30, "the tree's sources were not found");
  for (const QString& line : broken) qWarning("%s", qPrintable(line));
  QVERIFY(broken.isEmpty());
}

/// Of two classes with one name, the linker keeps the inline functions of one: the destructor of
/// the one then frees the members of the other.
void TestLayering::classNames_areUniqueInTheirNamespace() {
  static const QRegularExpression space("^namespace ([\\w:]+) \\{",
                                        QRegularExpression::MultilineOption);
  static const QRegularExpression hidden("^namespace \\{", QRegularExpression::MultilineOption);
  static const QRegularExpression type("^(?:class|struct) (\\w+)(?: final)?(?: :[^;]*)? \\{",
                                       QRegularExpression::MultilineOption);
  const QDir root(QUIRE_SOURCE_DIR);
  QHash<QString, QString> headers;  // By the name with its namespace.
  QStringList twice;
  for (const char* folder : {"platform", "kernels", "engine", "app"}) {
    QDirIterator files(root.filePath(folder), {"*.h"}, QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(file.fileName()));
      const QString content = QString::fromUtf8(file.readAll());
      if (hidden.match(content).hasMatch()) continue;
      const QString where = root.relativeFilePath(file.fileName());
      const QString prefix = space.match(content).captured(1);
      for (auto found = type.globalMatch(content); found.hasNext();) {
        const QString name = prefix + "::" + found.next().captured(1);
        if (headers.contains(name)) twice << name + ": " + headers[name] + ", " + where;
        headers.insert(name, where);
      }
    }
  }
  QVERIFY2(headers.size() > 300, "the tree's classes were not found");
  QVERIFY2(twice.isEmpty(), qPrintable("\n" + twice.join('\n')));
}

QTEST_APPLESS_MAIN(TestLayering)
#include "tst_layering.moc"
