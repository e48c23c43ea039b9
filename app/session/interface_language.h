#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>
#include <QTranslator>

#include <memory>

namespace quire {

/// The language of the interface; it can be changed while the window is open.
/// Thread: the window's.
/// Invariants: code() is one of codes(); where the system speaks none of them it is English.
class InterfaceLanguage : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QString choice READ choice WRITE setChoice NOTIFY changed)
  Q_PROPERTY(QString code READ code NOTIFY changed)
  Q_PROPERTY(QStringList names READ names CONSTANT)

 public:
  explicit InterfaceLanguage(QObject* parent = nullptr);
  ~InterfaceLanguage() override;

  QString choice() const { return m_choice; }  ///< "system" or one of codes().
  void setChoice(const QString& choice);
  QString code() const { return m_code; }
  QStringList codes() const;  ///< "en", "ko".
  QStringList names() const;  ///< Each in its own language.

 signals:
  /// After the translator was installed.
  void changed();

 private:
  void apply();

  QString m_choice = QStringLiteral("system");
  QString m_code = QStringLiteral("en");
  std::unique_ptr<QTranslator> m_translator;
  QTranslator m_qtTranslator;  ///< Of Qt's own dialogs, where the system has it.
};

}  // namespace quire
