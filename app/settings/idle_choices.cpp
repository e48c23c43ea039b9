#include "app/settings/idle_choices.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace quire::idle_choices {
namespace {

struct IdleChoicesTexts {
  Q_DECLARE_TR_FUNCTIONS(quire::IdleChoicesTexts)
};

}  // namespace

int indexOf(int minutes) {
  const auto* found = std::find(std::begin(kMinutes), std::end(kMinutes), minutes);
  return found == std::end(kMinutes) ? -1 : static_cast<int>(found - std::begin(kMinutes));
}

QString words(int minutes) {
  return minutes == 0 ? IdleChoicesTexts::tr("Never")
                      : IdleChoicesTexts::tr("After %1 minutes").arg(minutes);
}

}  // namespace quire::idle_choices
