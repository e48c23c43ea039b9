#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QUrl>

#include <thread>

#include "app/store/transfer/transfer.h"

namespace quire {

/// A file was dropped onto the window that may be chats which Quire exported: finds out, and asks.
///
/// Thread: the window's for every call and signal; the file is read on another.
/// Invariants: one file at a time; the destructor waits for the reading.
class ImportOffer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(bool mayAttach READ mayAttach NOTIFY changed)

 public:
  explicit ImportOffer(QObject* parent = nullptr) : QObject(parent) {}
  ~ImportOffer() override;

  /// By its name alone: one file, JSON or Markdown.
  Q_INVOKABLE static bool accepts(const QList<QUrl>& urls);
  /// Asks if it is an export. If not: `attachWanted` where there is a message to take it, else
  /// `refused`.
  void look(const QUrl& file, bool mayAttach);

  bool isOpen() const { return m_isOpen; }
  QString title() const;
  bool mayAttach() const { return m_mayAttach; }
  Q_INVOKABLE void importNow();
  Q_INVOKABLE void attach();
  Q_INVOKABLE void dismiss();

 signals:
  void changed();
  void importWanted(const QUrl& file);
  void attachWanted(const QUrl& file);
  void refused(const QString& sentence);

 private:
  void onLooked(ExportKind kind);
  void setOpen(bool isOpen);

  QUrl m_file;
  bool m_mayAttach = false;
  bool m_isOpen = false;
  bool m_isLooking = false;
  std::thread m_thread;
};

}  // namespace quire
