#include "app/models/compute_devices.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "app/models/model_labels.h"
#include "app/size_text.h"

namespace quire {
namespace {

const QString kCpu = QStringLiteral("cpu");

}  // namespace

ComputeDevices::ComputeDevices(ModelManager& manager, QObject* parent)
    : QObject(parent), m_manager(manager) {}

void ComputeDevices::prepare() {
  if (!std::exchange(m_asked, true)) refresh();
}

void ComputeDevices::refresh() {
  m_manager.listDevices({this, [this](const QList<ComputeDevice>& devices) {
                           m_devices = devices;
                           emit changed();
                         }});
}

QStringList ComputeDevices::names() const {
  QStringList names = {QString()};
  for (const ComputeDevice& device : m_devices) {
    if (device.available) names.append(device.name);
  }
  return names;
}

QStringList ComputeDevices::labels() const {
  QStringList labels = {tr("Automatic")};
  for (const ComputeDevice& device : m_devices) {
    if (!device.available) continue;
    const QString name =
        model_labels::device(device.description.isEmpty() ? device.name : device.description);
    labels.append(device.freeBytes == 0 ? name
                                        : tr("%1 · %2 free").arg(name, sizeText(device.freeBytes)));
  }
  return labels;
}

int ComputeDevices::threads() const {
  for (const ComputeDevice& device : m_devices) {
    if (device.threads > 0) return device.threads;
  }
  return 0;
}

QStringList ComputeDevices::cacheTypes(const QString& device) const {
  QStringList types;
  bool isFirst = true;
  for (const ComputeDevice& each : m_devices) {
    const bool counts = device.isEmpty() || each.name == device || each.name == kCpu;
    if (!each.available || !counts || each.cacheTypes.isEmpty()) continue;
    if (std::exchange(isFirst, false)) types = each.cacheTypes;
    types.removeIf([&](const QString& type) { return !each.cacheTypes.contains(type); });
  }
  return types;
}

QString ComputeDevices::defaultCacheType(const QString& device) const {
  const ComputeDevice* const chosen = find(device);
  return chosen ? chosen->defaultCacheType : QString();
}

/// The available device of that name; "" gives the first GPU, else the CPU.
const ComputeDevice* ComputeDevices::find(const QString& name) const {
  const ComputeDevice* cpu = nullptr;
  for (const ComputeDevice& each : m_devices) {
    if (!each.available) continue;
    if (each.name == name || (name.isEmpty() && each.name != kCpu)) return &each;
    if (each.name == kCpu) cpu = &each;
  }
  return cpu;
}

quint64 ComputeDevices::mostFreeBytes() const {
  quint64 most = 0;
  for (const ComputeDevice& device : m_devices) {
    if (device.available) most = std::max<quint64>(most, device.freeBytes);
  }
  return most > 0 ? most : std::numeric_limits<quint64>::max();
}

QString ComputeDevices::note() const {
  for (const ComputeDevice& device : m_devices) {
    if (!device.available && !device.reason.isEmpty()) return device.reason;
  }
  return {};
}

}  // namespace quire
