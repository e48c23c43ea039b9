#pragma once

#include <memory>

#include "app/app_model.h"

namespace quire {

class ModelInspector;

/// Which model answers when the program starts.
struct FirstModel {
  QString named;    ///< By the user, on the command line; empty: the one that was used last.
  QString bundled;  ///< Where there is none, or it cannot be loaded.
  QString bundledDraft = {};  ///< A small model to offer as a draft model.
};

/// Gives the window's library what finds and reads models (the first search begins some time after
/// the window is there), and loads the first model when the user's data are open: the one that is
/// named, else the one that was used last unless its load was the last thing that Quire did, else
/// the bundled one, which is trusted. Models are read by `inspector`; null: in this process.
void linkModels(AppModel& app, ModelManager& manager, const FirstModel& first,
                const std::shared_ptr<ModelInspector>& inspector = nullptr);

/// With the program quire-inspect beside this one, and its verdicts in the user's data.
std::shared_ptr<ModelInspector> makeInspector(const QString& dataFolder);

}  // namespace quire
