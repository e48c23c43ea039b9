#include "tests/ui/gallery/drawing.h"

#include <QDateTime>
#include <QDir>
#include <QGuiApplication>

#include <cstdio>

#include "tests/ui/gallery/mirror_check.h"
#include "tests/ui/gallery/stage.h"
#include "tests/ui/gallery/text_check.h"

namespace quire::gallery {
namespace {

constexpr QSize kSmallWindow(1024, 640);

QStringList warnings;

/// Keeps what Qt warns of, above all QML; what the platform without a screen says of itself aside.
void keepWarning(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type == QtFatalMsg) {
    std::fprintf(stderr, "%s\n", qPrintable(text));
    std::abort();
  }
  if (type == QtDebugMsg || type == QtInfoMsg) return;
  if (!text.startsWith(QLatin1String("This plugin does not support "))) warnings.append(text);
}

int report(const QString& name, const QStringList& faults) {
  for (const QString& fault : faults)
    std::printf("FAULT %s: %s\n", qPrintable(name), qPrintable(fault));
  return static_cast<int>(faults.size());
}

int drawState(const State& state, const QString& name, const Order& order) {
  const QSize size = order.isSmall ? kSmallWindow : state.size;
  Stage stage;
  stage.open(state.isGreeted);
  stage.window().resize(size);
  state.draw(stage);
  stage.window().resize(size);
  stage.settle();
  QList<QImage> pictures;  // Kept until the stage is closed: its disk may be full.
  for (const QString& theme : order.themes) pictures.append(stage.picture(theme));
  if (order.themes.isEmpty()) stage.rest();
  const QStringList cut = findCutTexts(stage.window());
  stage.close();
  int faults = report(name, cut);
  for (qsizetype i = 0; i < pictures.size(); ++i) {
    const QString file = fileNameOf(name, order.themes[i], order.languages.constFirst(),
                                    order.percents.constFirst());
    const bool isWritten = pictures[i].save(order.folder + '/' + file);
    std::printf("%s %s\n", isWritten ? "drawn" : "FAULT not written:", qPrintable(file));
    if (!isWritten) ++faults;
  }
  return faults;
}

Places placesOf(const State& state, Qt::LayoutDirection direction) {
  QGuiApplication::setLayoutDirection(direction);
  Stage stage;
  stage.open(state.isGreeted);
  stage.window().resize(state.size);
  state.draw(stage);
  stage.window().resize(state.size);
  stage.settle(300);
  stage.rest();
  Places places = placesIn(stage.window());
  stage.close();
  return places;
}

qint64 minuteOfNow() {
  return QDateTime::currentSecsSinceEpoch() / 60;
}

/// Both pictures of one minute if possible: the times in the sidebar are of several widths, which
/// move what is beside them.
int compareMirrored(const State& state, const QString& name) {
  Places fromLeft, fromRight;
  qint64 begin = -1;
  for (int attempt = 0; attempt < 3 && begin != minuteOfNow(); ++attempt) {
    begin = minuteOfNow();
    fromLeft = placesOf(state, Qt::LeftToRight);
    fromRight = placesOf(state, Qt::RightToLeft);
  }
  QStringList faults = findUnmirrored(fromLeft, fromRight, state.size.width());
  faults.sort();
  std::printf("compared %s: %d parts\n", qPrintable(name), static_cast<int>(fromLeft.size()));
  return report(name, faults);
}

}  // namespace

QString fileNameOf(const QString& name, const QString& theme, const QString& language,
                   const QString& percent) {
  return QStringLiteral("%1-%2-%3-%4.png")
      .arg(QString(name).replace('/', '-'), theme, language, percent);
}

bool isWanted(const Order& order, const QString& name) {
  if (order.names.isEmpty()) return true;
  return order.names.contains(name) || order.names.contains(name.section('/', 0, 0));
}

int draw(const Order& order) {
  qInstallMessageHandler(keepWarning);
  QDir().mkpath(order.folder);
  int faults = 0;
  for (const State& state : allStates()) {
    const QString name = QStringLiteral("%1/%2").arg(state.page, state.name);
    if (!isWanted(order, name)) continue;
    faults += order.mirrors ? compareMirrored(state, name) : drawState(state, name, order);
    faults += report(name, std::exchange(warnings, {}));
    std::fflush(stdout);
  }
  return faults;
}

}  // namespace quire::gallery
