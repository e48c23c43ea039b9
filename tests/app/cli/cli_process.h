#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace quire {

/// What a run of quire-cli left behind.
struct CliResult {
  int code = -1;  ///< -1: it did not start, crashed or took longer than two minutes.
  QByteArray out;
  QByteArray err;

  /// The lines of `out` as JSON objects; an empty object for a line that is none.
  QList<QJsonObject> jsonLines() const;
};

/// Runs the program that was built with these tests. `cache`: its folder for what it remembers;
/// empty: a new one.
CliResult runCli(const QStringList& arguments, const QByteArray& input = {},
                 const QString& cache = {});

/// Whether the bundled model is there; tests that need its answers skip without it.
bool hasBundledModel();
QString bundledModel();

}  // namespace quire

/// Skips the test where there is no bundled model. A macro, because QSKIP returns from its caller.
#define REQUIRE_BUNDLED_MODEL() \
  if (!quire::hasBundledModel()) QSKIP("resources/models/quire-mini is not in this checkout")
