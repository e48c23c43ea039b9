#include "app/viewmodels/settings/idle_choices.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace quire::idle_choices {
namespace {

QString tr(const char* text) {
  return QCoreApplication::translate("idle_choices", text);
}

}  // namespace

int indexOf(int minutes) {
  const auto* found = std::find(std::begin(kMinutes), std::end(kMinutes), minutes);
  return found == std::end(kMinutes) ? -1 : static_cast<int>(found - std::begin(kMinutes));
}

QString words(int minutes) {
  return minutes == 0 ? tr("Never") : tr("After %1 minutes").arg(minutes);
}

}  // namespace quire::idle_choices
