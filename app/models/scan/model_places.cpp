#include "app/models/scan/model_places.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>

#include "app/models/scan/file_identity.h"

namespace quire {
namespace {

constexpr qint64 kMaxSettingsBytes = 1 << 20;

/// A settings file of another application.
QByteArray settingsFile(const QString& path) {
  return readSmallFile(path, kMaxSettingsBytes);
}

QString jsonText(const QString& path, const QString& key) {
  return QJsonDocument::fromJson(settingsFile(path)).object()[key].toString();
}

/// The value of `key` in an INI file, in any section.
QString iniText(const QString& path, const QByteArray& key) {
  for (const QByteArray& line : settingsFile(path).split('\n')) {
    if (line.startsWith(key + '=')) return QString::fromUtf8(line.mid(key.size() + 1).trimmed());
  }
  return {};
}

/// Collects places that exist, each folder once.
class Places {
 public:
  explicit Places(const PlaceEnvironment& environment) : m_environment(environment) {}

  QString home(const QString& below) const { return m_environment.home + u'/' + below; }
  QString system(const QString& path) const { return m_environment.systemRoot + path; }
  QString variable(const char* name) const { return m_environment.variable(name); }
  /// A folder of the desktop's base directories (XDG).
  QString data() const { return variableOr("XDG_DATA_HOME", home(".local/share")); }
  QString config() const { return variableOr("XDG_CONFIG_HOME", home(".config")); }
  QString cache() const { return variableOr("XDG_CACHE_HOME", home(".cache")); }

  void add(const QString& source, const QString& path, PlaceLayout layout = PlaceLayout::kTree) {
    if (path.isEmpty() || !QDir::isAbsolutePath(path)) return;
    const QString clean = QDir::cleanPath(path);
    const auto identity = identityOf(clean);
    if (!identity || !QFileInfo(clean).isDir() || m_seen.contains(*identity)) return;
    m_seen.insert(*identity);
    m_places.append({source, clean, layout});
  }
  QList<ModelPlace> takePlaces() { return std::move(m_places); }

 private:
  QString variableOr(const char* name, const QString& otherwise) const {
    const QString value = variable(name);
    return QDir::isAbsolutePath(value) ? value : otherwise;
  }

  const PlaceEnvironment& m_environment;
  QList<ModelPlace> m_places;
  QSet<FileIdentity> m_seen;
};

/// The folder of models is in its settings; the path of its home folder is in a file.
void addLmStudio(Places& places) {
  const QString source = QStringLiteral("LM Studio");
  QString home = QString::fromUtf8(settingsFile(places.home(".lmstudio-home-pointer"))).trimmed();
  if (home.isEmpty()) home = places.home(".lmstudio");
  places.add(source, jsonText(home + "/settings.json", QStringLiteral("downloadsFolder")));
  places.add(source, home + "/models");
  places.add(source, places.home(".lmstudio/models"));
  places.add(source, places.home(".cache/lm-studio/models"));
}

/// The folders of a user's Ollama, and those of the system service.
void addOllama(Places& places) {
  const QString source = QStringLiteral("Ollama");
  for (const QString& path :
       {places.variable("OLLAMA_MODELS"), places.home(".ollama/models"),
        places.system("/usr/share/ollama/.ollama/models"), places.system("/var/lib/ollama/models"),
        places.system("/var/lib/ollama/.ollama/models"),
        places.home("snap/ollama/common/models")}) {
    places.add(source, path, PlaceLayout::kOllama);
  }
}

void addGpt4All(Places& places) {
  const QString source = QStringLiteral("GPT4All");
  const QString flatpak = places.home(".var/app/io.gpt4all.gpt4all/");
  places.add(source, iniText(places.config() + "/nomic.ai/GPT4All.ini", "modelPath"));
  places.add(source, iniText(flatpak + "config/nomic.ai/GPT4All.ini", "modelPath"));
  places.add(source, places.data() + "/nomic.ai/GPT4All");
  places.add(source, flatpak + "data/nomic.ai/GPT4All");
  places.add(source, places.home(".cache/gpt4all"));  // Of its Python library.
}

/// The data folder is in its settings; its default differs between versions.
void addJan(Places& places) {
  const QString flatpak = places.home(".var/app/ai.jan.Jan/");
  QStringList folders;
  for (const QString& settings : {places.config() + "/Jan", places.data() + "/Jan",
                                  flatpak + "config/Jan", flatpak + "data/Jan"}) {
    folders += jsonText(settings + "/settings.json", QStringLiteral("data_folder"));
    folders += settings + "/data";
  }
  folders += places.home("jan");
  for (const QString& folder : folders) {
    if (folder.isEmpty()) continue;
    for (const char* models : {"/llamacpp/models", "/cortex.cpp/models", "/models"})
      places.add(QStringLiteral("Jan"), folder + QLatin1String(models));
  }
}

void addHuggingFace(Places& places) {
  const auto add = [&](const QString& path) {
    places.add(QStringLiteral("Hugging Face"), path, PlaceLayout::kHuggingFace);
  };
  add(places.variable("HF_HUB_CACHE"));
  add(places.variable("HUGGINGFACE_HUB_CACHE"));
  const QString home = places.variable("HF_HOME");
  if (!home.isEmpty()) add(home + "/hub");
  add(places.cache() + "/huggingface/hub");
  add(places.home(".cache/huggingface/hub"));
}

}  // namespace

PlaceEnvironment systemEnvironment() {
  return {.home = QDir::homePath(),
          .variable = [](const char* name) { return qEnvironmentVariable(name); }};
}

QList<ModelPlace> knownPlaces(const PlaceEnvironment& environment) {
  Places places(environment);
  places.add(QStringLiteral("Quire"), places.data() + "/quire/models");  // Of `quire-cli pull`.
  addLmStudio(places);
  addOllama(places);
  addGpt4All(places);
  addJan(places);
  addHuggingFace(places);
  places.add(QStringLiteral("llama.cpp"), places.variable("LLAMA_CACHE"));
  places.add(QStringLiteral("llama.cpp"), places.cache() + "/llama.cpp");
  return places.takePlaces();
}

}  // namespace quire
