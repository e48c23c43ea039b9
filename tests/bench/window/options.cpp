#include "tests/bench/window/options.h"

#include <QGuiApplication>
#include <QQuickWindow>
#include <QSysInfo>
#include <QThread>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace quire::bench {
namespace {

[[noreturn]] void refuse(const QString& sentence) {
  std::fprintf(stderr, "%s\n", qPrintable(sentence));
  std::exit(2);
}

/// Takes the option's word and the one behind it out of the list; empty: it is not there.
QString takeOption(QStringList& words, const QString& name) {
  const qsizetype at = words.indexOf(name);
  if (at < 0) return {};
  if (at + 1 >= words.size()) refuse(QStringLiteral("%1 needs a value.").arg(name));
  const QString value = words[at + 1];
  words.remove(at, 2);
  return value;
}

[[noreturn]] void startUnderXvfb(const std::vector<char*>& own) {
  unsetenv("QT_QPA_PLATFORM");
  unsetenv("QT_QUICK_BACKEND");
  unsetenv("WAYLAND_DISPLAY");
  std::vector<std::string> words = {"xvfb-run", "-a", "-s", "-screen 0 1600x1000x24"};
  words.insert(words.end(), own.begin(), own.end());
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  execvp(raw[0], raw.data());
  refuse(QStringLiteral("xvfb-run cannot be started: %1. Install the package xvfb.")
             .arg(QString::fromLocal8Bit(std::strerror(errno))));
}

}  // namespace

Options readOptions(QStringList words, const QStringList& parts) {
  Options options;
  takeOption(words, QStringLiteral("--display"));
  options.json = takeOption(words, QStringLiteral("--json"));
  options.searchStore = takeOption(words, QStringLiteral("--search-store"));
  options.model = takeOption(words, QStringLiteral("--model"));
  const QString engine = takeOption(words, QStringLiteral("--engine"));
  if (engine == QLatin1String("real")) options.engine = Options::Engine::Real;
  if (!engine.isEmpty() && engine != QLatin1String("real") && engine != QLatin1String("recorded")) {
    refuse(QStringLiteral("--engine is real or recorded, not \"%1\".").arg(engine));
  }
  for (const QString& word : words) {
    if (!parts.contains(word)) {
      refuse(QStringLiteral("There is no part \"%1\"; there are: %2.")
                 .arg(word, parts.join(QStringLiteral(", "))));
    }
  }
  options.parts = words;
  return options;
}

void chooseDisplay(int argc, char** argv) {
  std::vector<char*> own;
  bool wantsXvfb = false;
  for (int i = 0; i < argc; ++i) {
    if (std::strcmp(argv[i], "--display") != 0 || i + 1 >= argc) {
      own.push_back(argv[i]);
      continue;
    }
    const std::string display = argv[++i];
    wantsXvfb = display == "xvfb";
    if (display == "offscreen") unsetenv("DISPLAY");
    if (display == "offscreen") qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  if (wantsXvfb) startUnderXvfb(own);
  if (qEnvironmentVariableIsSet("DISPLAY")) return;
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  qputenv("QT_QUICK_BACKEND", "software");
}

QJsonObject environment(const Options& options) {
  double load[3] = {0.0, 0.0, 0.0};
  getloadavg(load, 3);
  const QString backend = QQuickWindow::sceneGraphBackend();
  return {{"platform", QGuiApplication::platformName()},
          {"renderer", backend.isEmpty() ? QStringLiteral("opengl") : backend},
          {"engine", options.engine == Options::Engine::Real ? "real" : "recorded"},
          {"model", options.model},
          {"cores", QThread::idealThreadCount()},
          {"load", load[0]},
          {"system", QSysInfo::prettyProductName()},
          {"qt", QString::fromLatin1(qVersion())}};
}

}  // namespace quire::bench
