#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QSize>
#include <QStringList>

#include "app/session/data_session.h"
#include "app/session/interface_language.h"

namespace quire {

/// Theme, text size, interface language and window size, with their stored values.
/// Thread: the window's.
class Appearance : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString themeChoice READ themeChoice WRITE setThemeChoice NOTIFY changed)
  Q_PROPERTY(bool themeIsSet READ themeIsSet NOTIFY changed)
  Q_PROPERTY(QString themeText READ themeText NOTIFY changed)
  Q_PROPERTY(int textPercent READ textPercent WRITE setTextPercent NOTIFY changed)
  Q_PROPERTY(bool textPercentIsSet READ textPercentIsSet NOTIFY changed)
  Q_PROPERTY(QStringList languageNames READ languageNames NOTIFY changed)
  Q_PROPERTY(int languageIndex READ languageIndex NOTIFY changed)
  Q_PROPERTY(bool languageIsSet READ languageIsSet NOTIFY changed)

 public:
  Appearance(DataSession& session, InterfaceLanguage& language, QObject* parent = nullptr);

  void loadLanguage();  ///< First, before texts are created; the session is open.
  void load();          ///< The other values.

  QString themeChoice() const { return m_themeChoice; }  ///< "system", "light" or "dark".
  void setThemeChoice(const QString& choice);
  bool themeIsSet() const { return m_themeChoice != QLatin1String("system"); }
  QString themeText() const;
  Q_INVOKABLE void cycleTheme();
  int textPercent() const { return m_textPercent; }
  void setTextPercent(int percent);
  bool textPercentIsSet() const { return m_textPercent != 100; }
  /// "System", then the languages.
  QStringList languageNames() const { return QStringList(tr("System")) + m_language.names(); }
  int languageIndex() const;
  bool languageIsSet() const { return languageIndex() != 0; }
  Q_INVOKABLE void chooseLanguage(int index);
  QSize windowSize() const { return m_windowSize; }  ///< The stored size; may be empty.
  void saveWindowSize(QSize size);

 signals:
  void changed();

 private:
  DataSession& m_session;
  InterfaceLanguage& m_language;
  QString m_themeChoice = QStringLiteral("system");
  int m_textPercent = 100;
  QSize m_windowSize;
};

}  // namespace quire
