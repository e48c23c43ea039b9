#pragma once

#include <QList>
#include <QString>

#include "app/hub/hub_model.h"
#include "app/model_names.h"

namespace quire {

/// What can be downloaded of a model: one GGUF file, a split set of them, or a folder.
struct ModelChoice {
  /// What chooses it, and no other: "Q4_K_M", a file's name where several have that type, or
  /// "safetensors".
  QString label;
  QString type;           ///< "Q4_K_M", "BF16"; empty: not known.
  bool isFolder = false;  ///< Of safetensors.
  QList<HubFile> files;

  qint64 bytes() const;
};

/// All choices, the GGUF files before the folder, otherwise in the hub's order. Files of other
/// formats are left out; so are incomplete sets.
QList<ModelChoice> choicesOf(const HubModel& model);

/// The choice that `tag` names (a type, or a file's name), or the usual one for an empty tag.
/// Errors: kNotFound, kUnsupported.
Result<ModelChoice> chooseFiles(const HubModel& model, const QString& tag);

/// The smallest image encoder of a GGUF model (mmproj). Errors: kNotFound.
Result<HubFile> chooseProjector(const HubModel& model);

/// "Q4_K_M" in the name of a GGUF file; empty: there is none.
QString typeInName(const QString& path);

}  // namespace quire
