#pragma once

#include <QList>
#include <QString>

#include "app/hub/hub_model.h"

namespace quire {

/// What can be downloaded of a model: one GGUF file, a split set of them, or a folder.
struct ModelChoice {
  QString label;          ///< What chooses it: "Q4_K_M", a file's name, or "safetensors".
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

/// Whether a file holds weights of that format, by its name.
bool isGguf(const QString& path);
bool isSafetensors(const QString& path);

/// "Q4_K_M" in the name of a GGUF file; empty: there is none.
QString typeInName(const QString& path);

}  // namespace quire
