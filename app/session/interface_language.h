#pragma once

#include <QObject>
#include <QStringList>
#include <QTranslator>

namespace quire {

/// The language of the interface; it can be changed while the window is open.
/// Thread: the window's.
/// Invariants: code() is one of codes(); English if the system uses none of them.
class InterfaceLanguage : public QObject {
  Q_OBJECT

 public:
  explicit InterfaceLanguage(QObject* parent = nullptr);

  QString choice() const { return m_choice; }  ///< "system" or one of codes().
  void setChoice(const QString& choice);
  QString code() const { return m_code; }
  QStringList codes() const;  ///< "en", "ko".
  /// The name of each of codes() in its own language.
  QStringList names() const { return {QStringLiteral("English"), QStringLiteral("한국어")}; }

 signals:
  /// After the translator was installed.
  void changed();

 private:
  void apply();
  void applyDirection();

  QString m_choice = QStringLiteral("system");
  QString m_code = QStringLiteral("en");
  Qt::LayoutDirection m_direction = Qt::LeftToRight;
  QTranslator m_translator;
  QTranslator m_qtTranslator;  ///< For Qt's own dialogs, if Qt's translations are installed.
};

}  // namespace quire
