#pragma once

#include <QString>

/// After how long a model that nobody asks is unloaded: what can be chosen.
namespace quire::idle_choices {

inline constexpr int kMinutes[] = {0, 5, 15, 30, 60};  ///< 0: never.

int indexOf(int minutes);  ///< Into kMinutes; -1: no choice of ours.
QString words(int minutes);

}  // namespace quire::idle_choices
