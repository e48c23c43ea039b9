#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QUrl>

#include <functional>

#include "app/store/transfer/transfer.h"
#include "app/task_runner.h"

namespace quire {

/// Finds out whether a file that was dropped onto the window holds chats that Quire exported, and
/// asks whether to import them.
///
/// Thread: the window's for every call and signal; the file is read on another.
/// Invariants: one file at a time.
class ImportOffer : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool isOpen READ isOpen NOTIFY changed)
  Q_PROPERTY(QString title READ title NOTIFY changed)
  Q_PROPERTY(bool mayAttach READ mayAttach NOTIFY changed)

 public:
  explicit ImportOffer(QObject* parent = nullptr) : QObject(parent) {}

  /// Sets what says whether a file can be attached to a message instead. Unset: never.
  void setAttachable(const std::function<bool()>& isAttachable) { m_isAttachable = isAttachable; }
  /// Whether it is one JSON or Markdown file, judged by its name.
  Q_INVOKABLE static bool accepts(const QList<QUrl>& urls);
  /// Opens the question if the file is an export. Otherwise emits `attachWanted` if the file can be
  /// attached, else `refused`.
  Q_INVOKABLE void examine(const QUrl& file);

  bool isOpen() const { return m_isOpen; }
  QString title() const;
  bool mayAttach() const { return m_mayAttach; }
  Q_INVOKABLE void importNow();
  Q_INVOKABLE void attach();
  Q_INVOKABLE void dismiss() { setOpen(false); }

 signals:
  void changed();
  void importWanted(const QUrl& file);
  void attachWanted(const QUrl& file);
  void refused(const QString& sentence);

 private:
  void onExamined(ExportKind kind);
  void setOpen(bool isOpen);
  QString shownName() const;

  QUrl m_file;
  bool m_mayAttach = false;
  bool m_isOpen = false;
  std::function<bool()> m_isAttachable;
  TaskRunner m_tasks;
};

}  // namespace quire
