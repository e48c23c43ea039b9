#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QStringList>

#include "app/engine/model_manager.h"

namespace quire {

/// The devices that can run models, as a list of choices: "Automatic", then each device.
///
/// Thread: the window's.
/// Invariants: names() and labels() have equal length and begin with the automatic choice.
class ComputeDevices : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(QStringList names READ names NOTIFY changed)
  Q_PROPERTY(QStringList labels READ labels NOTIFY changed)
  Q_PROPERTY(QString note READ note NOTIFY changed)

 public:
  explicit ComputeDevices(ModelManager& manager, QObject* parent = nullptr);

  /// Requests the list on the first call only, because that loads drivers.
  void prepare();
  void refresh();
  QStringList names() const;   ///< For LoadRequest::device; "" is automatic.
  QStringList labels() const;  ///< "Automatic", "CPU", "NVIDIA H200 · 130 GB free".
  int threads() const;         ///< The default number of CPU threads; 0: not known yet.
  /// The values of LoadRequest::cacheType that a LoadRequest::device supports; empty: not known
  /// yet. A model that does not fit into a GPU has layers on the CPU, so both must support a type.
  QStringList cacheTypes(const QString& device) const;
  QString defaultCacheType(const QString& device) const;  ///< Empty: not known yet.
  /// The largest free memory of an available device; the highest number where it is not known.
  quint64 mostFreeBytes() const;
  QString note() const;  ///< Why a detected device cannot be used; empty: all can.

 signals:
  void changed();

 private:
  const ComputeDevice* find(const QString& name) const;

  ModelManager& m_manager;
  QList<ComputeDevice> m_devices;
  bool m_asked = false;
};

}  // namespace quire
