// serve_test_hub BYTES_PER_SECOND NAME=FILE...: the test hub as a program, for
// packaging/newcomer.sh. Prints its address and serves each file as the only one of the repository
// NAME, until its input ends. What has been asked for goes to stderr.
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <cstdio>

#include "tests/app/hub/test_hub.h"

using namespace quire;

namespace {

/// Adds what one argument names; false if it cannot be read.
bool addFile(TestHub& hub, const QString& argument) {
  const qsizetype at = argument.indexOf(QLatin1Char('='));
  QFile file(argument.mid(at + 1));
  if (at <= 0 || !file.open(QIODevice::ReadOnly)) return false;
  hub.addModel(argument.left(at).toUtf8(),
               {{QFileInfo(file).fileName().toUtf8(), HubBlob::of(file.readAll())}},
               R"("tags":["gguf","license:apache-2.0"])");
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  QCoreApplication application(argc, argv);
  const QStringList words = QCoreApplication::arguments().mid(1);
  const qint64 bytesPerSecond = words.value(0).toLongLong();
  if (words.size() < 2 || bytesPerSecond <= 0) {
    std::fprintf(stderr, "Usage: serve_test_hub BYTES_PER_SECOND NAME=FILE...\n");
    return 2;
  }
  TestHub hub;
  for (const QString& argument : words.mid(1)) {
    if (addFile(hub, argument)) continue;
    std::fprintf(stderr, "\"%s\" is not NAME=FILE with a file that can be read.\n",
                 qPrintable(argument));
    return 2;
  }
  // A slow response sends so many bytes every 10 ms.
  const qint64 step = std::max<qint64>(bytesPerSecond / 100, 1);
  hub.setFaults([step](const HubRequest&, int) { return HubFault{HubFault::Kind::kSlow, step}; });
  std::printf("%s\n", qPrintable(hub.address()));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  for (const HubRequest& request : hub.seen()) std::fprintf(stderr, "%s\n", request.path.data());
  return 0;
}
