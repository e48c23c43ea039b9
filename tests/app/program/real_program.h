#pragma once

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <memory>

namespace quire {

/// The program `quire` in a folder of its own, offscreen, and what its window shows
/// (window_reader.cpp).
class RealProgram {
 public:
  QString folder() const { return m_folder.path(); }
  QString data() const { return m_folder.filePath(QStringLiteral("data")); }
  /// "NAME=VALUE" of the next start.
  void setEnvironment(const QStringList& more) { m_environment = more; }

  /// `path`: of the program. False: it does not start.
  [[nodiscard]] bool start(const QString& path, const QStringList& arguments = {}) {
    QDir().mkpath(m_folder.filePath(QStringLiteral("home")));
    QFile::remove(texts());
    m_program.reset(new QProcess);
    m_program->setProcessEnvironment(environment());
    m_program->setProcessChannelMode(QProcess::ForwardedChannels);
    m_program->start(
        path, QStringList{"--data", data(), "--device", "cpu", "--threads", "1"} + arguments);
    return m_program->waitForStarted();
  }
  QProcess& process() { return *m_program; }
  /// Kills the program, as a crash would end it.
  void kill() { m_program.reset(); }

  /// The texts of what its window shows, a line each.
  QString shownTexts() const {
    QFile file(texts());
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
  }
  bool shows(const QString& words) const { return shownTexts().contains(words); }

 private:
  struct Kill {
    void operator()(QProcess* program) const {
      program->kill();
      program->waitForFinished();
      delete program;
    }
  };

  QString texts() const { return m_folder.filePath(QStringLiteral("texts")); }

  QProcessEnvironment environment() const {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "HF_HOME",
                             "HF_HUB_CACHE", "OLLAMA_MODELS", "LLAMA_CACHE"})
      environment.remove(name);
    environment.insert("HOME", m_folder.filePath("home"));
    environment.insert("DBUS_SESSION_BUS_ADDRESS", "disabled:");
    environment.insert("LC_ALL", "C.UTF-8");
    environment.insert("QT_QPA_PLATFORM", "offscreen");
    environment.insert("QT_QUICK_BACKEND", "software");
    environment.insert("QT_PLUGIN_PATH", PLUGINS);
    environment.insert("QT_QPA_GENERIC_PLUGINS", "quire_window_reader");
    environment.insert("QUIRE_SHOWN_TEXTS", texts());
    for (const QString& one : m_environment)
      environment.insert(one.section(u'=', 0, 0), one.section(u'=', 1));
    return environment;
  }

  QTemporaryDir m_folder;
  QStringList m_environment;
  std::unique_ptr<QProcess, Kill> m_program;
};

}  // namespace quire
