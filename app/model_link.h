#pragma once

#include "app/app_model.h"

namespace quire {

/// Which model answers when the program starts.
struct FirstModel {
  QString named;    ///< By the user, on the command line; empty: the one that was used last.
  QString bundled;  ///< Where there is none, or it cannot be loaded.
};

/// Gives the window's library what finds and reads models (the first search begins some time after
/// the window is there), and loads the first model when the user's data are open.
void linkModels(AppModel& app, ModelManager& manager, const FirstModel& first);

}  // namespace quire
