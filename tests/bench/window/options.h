#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace quire::bench {

struct Options {
  enum class Engine { Recorded, Real };

  Engine engine = Engine::Recorded;  ///< What streams: a recorded answer, or the bundled model.
  QString model;                     ///< Of the real engine; empty: as the part says.
  QString json;                      ///< Where the figures go; empty: nowhere.
  QString searchStore;               ///< A folder that is kept and used again; empty: a new one.
  QStringList parts;                 ///< Empty: all.

  bool wants(const QString& part) const { return parts.isEmpty() || parts.contains(part); }
};

/// Ends the program with a sentence if there is a word that it does not know.
Options readOptions(QStringList words, const QStringList& parts);

/// With "--display xvfb" starts the program again within a virtual X display and never comes back;
/// else chooses the offscreen platform and the software renderer where there is no display. Before
/// the application is made.
void chooseDisplay(int argc, char** argv);

/// What the figures were measured on.
QJsonObject environment(const Options& options);

}  // namespace quire::bench
