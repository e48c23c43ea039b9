#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>

#include "app/engine/model_manager.h"

namespace quire {

/// What can compute here, for a choice in words: "Automatic", then each device, with the reason
/// where one cannot.
///
/// Thread: the window's.
/// Invariants: names() and labels() are of one length and begin with the automatic choice.
class ComputeDevices : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QStringList names READ names NOTIFY changed)
  Q_PROPERTY(QStringList labels READ labels NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)

 public:
  explicit ComputeDevices(ModelManager& manager, QObject* parent = nullptr);

  /// Asks for the devices, the first time only: drivers are tried.
  void prepare();
  void refresh();
  QStringList names() const;   ///< For LoadRequest::device; "" is the automatic choice.
  QStringList labels() const;  ///< "Automatic", "CPU", "NVIDIA H200 · 130 GB free".
  int threads() const;         ///< Of the processor, by default; 0: not known yet.
  /// What keys and values can be kept in, by LoadRequest::device, for LoadRequest::cacheType. A
  /// model that a GPU has no room for has layers on the processor, so both have to keep it. Empty:
  /// not known yet.
  QStringList cacheTypes(const QString& device) const;
  QString defaultCacheType(const QString& device) const;  ///< Empty: not known yet.
  QString note() const;  ///< Why a device that is known cannot be used; empty: none.

 signals:
  void changed();

 private:
  const ComputeDevice* find(const QString& name) const;

  ModelManager& m_manager;
  QList<ComputeDevice> m_devices;
  bool m_asked = false;
};

}  // namespace quire
