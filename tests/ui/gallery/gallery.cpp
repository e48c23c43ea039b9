// Draws the window in its states, both themes, both languages and several scales, with a page that
// shows them all: quire_gallery FOLDER [state or page...] [--theme T] [--language L] [--scale P]
// [--small].
// A language and a scale belong to a process, so it starts itself once for each.
#include <QCommandLineParser>
#include <QDir>
#include <QGuiApplication>
#include <QProcess>

#include <cstdio>

#include "app/window.h"
#include "tests/ui/gallery/drawing.h"
#include "tests/ui/gallery/pseudo_language.h"

namespace {

using namespace quire;
using namespace quire::gallery;

const char* const kChild = "QUIRE_GALLERY_PART";

QProcessEnvironment environmentOf(const QString& language, const QString& percent) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  const bool korean = language == QLatin1String("ko");
  environment.insert("LC_ALL", korean ? "ko_KR.UTF-8" : "en_GB.UTF-8");
  environment.insert("LANGUAGE", korean ? "ko" : "en");
  if (language == QLatin1String("pseudo") || language == QLatin1String("rtl"))
    environment.insert(kPseudoVariable, language);
  environment.insert("QT_SCALE_FACTOR", QString::number(percent.toDouble() / 100.0));
  environment.insert("QT_QPA_PLATFORM", "offscreen");
  environment.insert("QT_QUICK_BACKEND", "software");
  environment.insert(kChild, "1");
  return environment;
}

int drawPart(const Order& order, const QString& language, const QString& percent,
             const QStringList& names) {
  QStringList arguments = {order.folder, "--language", language, "--scale", percent};
  for (const QString& theme : order.themes) arguments += {"--theme", theme};
  if (order.mirrors) arguments += "--mirror";
  if (order.isSmall) arguments += "--small";
  if (order.themes.isEmpty()) arguments += "--check";
  QProcess part;
  part.setProcessEnvironment(environmentOf(language, percent));
  part.setProcessChannelMode(QProcess::ForwardedChannels);
  part.start(QCoreApplication::applicationFilePath(), arguments + names);
  part.waitForFinished(-1);
  if (part.exitStatus() == QProcess::NormalExit) return part.exitCode();
  std::printf("FAULT the part in %s at %s %% broke off\n", qPrintable(language),
              qPrintable(percent));
  return 1;
}

/// Everything that was ordered; at 150 % the main window alone, where nothing was chosen.
int drawAll(const Order& order, bool drawsFractions) {
  int failed = 0;
  for (const QString& language : order.languages) {
    for (const QString& percent : order.percents)
      failed += drawPart(order, language, percent, order.names) != 0;
    if (drawsFractions)
      failed += drawPart(order, language, "150", {"panes/two", "chat/answer", "engine/panel"}) != 0;
  }
  if (!order.themes.isEmpty() && !writeSheet(order)) ++failed;
  std::printf("%s: %s/index.html\n", failed == 0 ? "Done" : "Done, with faults (see FAULT above)",
              qPrintable(order.folder));
  return failed == 0 ? 0 : 1;
}

Order orderOf(const QCommandLineParser& parser) {
  Order order;
  order.folder = QDir(parser.positionalArguments().value(0, ".")).absolutePath();
  order.names = parser.positionalArguments().mid(1);
  if (parser.isSet("theme")) order.themes = parser.values("theme");
  order.mirrors = parser.isSet("mirror");
  order.isSmall = parser.isSet("small");
  if (parser.isSet("check") || order.mirrors) order.themes.clear();
  if (parser.isSet("language")) order.languages = parser.values("language");
  if (parser.isSet("scale")) order.percents = parser.values("scale");
  return order;
}

}  // namespace

int main(int argc, char** argv) {
  const bool isPart = qEnvironmentVariableIsSet(kChild);
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QGuiApplication application(argc, argv);
  setUpLook();
  QCommandLineParser parser;
  parser.setApplicationDescription(
      "Draws the window in its states, with a page that shows them all.");
  parser.addHelpOption();
  parser.addPositionalArgument("folder", "Where the pictures go; the current folder unless told.",
                               "[folder]");
  parser.addPositionalArgument("name", "States (panes/two) or pages (panes); all unless told.",
                               "[name...]");
  parser.addOptions(
      {{"theme", "light or dark; both unless told.", "theme"},
       {"language", "en or ko, both unless told; pseudo or rtl for a made-up long language.",
        "language"},
       {"check", "Checks the texts and draws nothing."},
       {"mirror", "Checks that the window from right to left is the mirror image; draws nothing."},
       {"small", "In a window of 1,024 x 640."},
       {"scale", "In percent; 100 and 200 unless told.", "percent"}});
  parser.process(application);
  const Order order = orderOf(parser);
  if (isPart) return draw(order) == 0 ? 0 : 1;
  return drawAll(order, order.names.isEmpty() && !parser.isSet("scale"));
}
