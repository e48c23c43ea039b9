#include <QHash>
#include <QTemporaryDir>
#include <QTest>

#include "app/models/scan/model_places.h"
#include "tests/app/models/scan/model_layouts.h"

using namespace quire;

/// The model folders of other applications, below a temporary home folder.
class ModelPlacesTest : public QObject {
  Q_OBJECT

 private slots:
  void init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_layouts = std::make_unique<ModelLayouts>(m_folder->path());
    m_variables.clear();
  }

  void withoutApplications_thereAreNoPlaces() { QVERIFY(places().isEmpty()); }

  void usualFolders_areFound_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("source");
    QTest::newRow("LM Studio") << "home/.lmstudio/models"
                               << "LM Studio";
    QTest::newRow("LM Studio, older") << "home/.cache/lm-studio/models"
                                      << "LM Studio";
    QTest::newRow("Ollama") << "home/.ollama/models"
                            << "Ollama";
    QTest::newRow("Ollama, service") << "usr/share/ollama/.ollama/models"
                                     << "Ollama";
    QTest::newRow("GPT4All") << "home/.local/share/nomic.ai/GPT4All"
                             << "GPT4All";
    QTest::newRow("Jan") << "home/.local/share/Jan/data/llamacpp/models"
                         << "Jan";
    QTest::newRow("Jan, older") << "home/jan/models"
                                << "Jan";
    QTest::newRow("Hugging Face") << "home/.cache/huggingface/hub"
                                  << "Hugging Face";
    QTest::newRow("llama.cpp") << "home/.cache/llama.cpp"
                               << "llama.cpp";
  }
  void usualFolders_areFound() {
    QFETCH(QString, folder);
    QFETCH(QString, source);
    m_layouts->folder(folder);
    QCOMPARE(places().size(), 1);
    QCOMPARE(places().first().source, source);
    QCOMPARE(places().first().path, m_layouts->path(folder));
  }

  void environmentVariables_changeThePaths_data() {
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("folder");
    QTest::newRow("OLLAMA_MODELS") << "OLLAMA_MODELS"
                                   << "other"
                                   << "other";
    QTest::newRow("HF_HUB_CACHE") << "HF_HUB_CACHE"
                                  << "other"
                                  << "other";
    QTest::newRow("HF_HOME") << "HF_HOME"
                             << "other"
                             << "other/hub";
    QTest::newRow("XDG_CACHE_HOME") << "XDG_CACHE_HOME"
                                    << "other"
                                    << "other/huggingface/hub";
    QTest::newRow("XDG_DATA_HOME") << "XDG_DATA_HOME"
                                   << "other"
                                   << "other/nomic.ai/GPT4All";
    QTest::newRow("LLAMA_CACHE") << "LLAMA_CACHE"
                                 << "other"
                                 << "other";
  }
  void environmentVariables_changeThePaths() {
    QFETCH(QString, variable);
    QFETCH(QString, value);
    QFETCH(QString, folder);
    m_layouts->folder(folder);
    m_variables[variable] = m_layouts->path(value);
    QCOMPARE(places().size(), 1);
    QCOMPARE(places().first().path, m_layouts->path(folder));
  }

  void settingsFiles_changeThePaths() {
    for (const char* folder : {"lm", "gpt", "jan/llamacpp/models"}) m_layouts->folder(folder);
    m_layouts->file("home/.lmstudio/settings.json",
                    "{\"downloadsFolder\": \"" + m_layouts->path("lm").toUtf8() + "\"}");
    m_layouts->file("home/.config/nomic.ai/GPT4All.ini",
                    "[General]\nmodelPath=" + m_layouts->path("gpt").toUtf8() + "\n");
    m_layouts->file("home/.config/Jan/settings.json",
                    "{\"data_folder\": \"" + m_layouts->path("jan").toUtf8() + "\"}");
    QStringList sources;
    for (const ModelPlace& place : places()) sources.append(place.source);
    QCOMPARE(sources, QStringList({"LM Studio", "GPT4All", "Jan"}));
  }

  void folderWithTwoNames_isOnePlace() {
    m_layouts->folder("home/.lmstudio/models");
    m_layouts->folder("home/.cache/lm-studio");
    m_layouts->symbolicLink(m_layouts->path("home/.lmstudio/models"),
                            "home/.cache/lm-studio/models");
    QCOMPARE(places().size(), 1);
  }

  void damagedSettings_areIgnored() {
    m_layouts->folder("home/.lmstudio/models");
    m_layouts->file("home/.lmstudio/settings.json", QByteArray(2 << 20, '['));
    m_layouts->file("home/.config/Jan/settings.json", "{\"data_folder\": [1, 2]}");
    m_layouts->file("home/.config/nomic.ai/GPT4All.ini",
                    QByteArray("modelPath=relative\n\0\xff", 22));
    m_layouts->folder("home/.lmstudio-home-pointer");
    QCOMPARE(places().size(), 1);
    QCOMPARE(places().first().source, QString("LM Studio"));
  }

 private:
  QList<ModelPlace> places() const {
    return knownPlaces({.home = m_layouts->path("home"),
                        .variable = [this](const char* name) { return m_variables.value(name); },
                        .systemRoot = m_folder->path()});
  }

  std::unique_ptr<QTemporaryDir> m_folder;
  std::unique_ptr<ModelLayouts> m_layouts;
  QHash<QString, QString> m_variables;
};

QTEST_GUILESS_MAIN(ModelPlacesTest)
#include "tst_model_places.moc"
