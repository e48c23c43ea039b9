#pragma once

#include <QtQml/qqmlregistration.h>

#include <array>

#include "app/role_list_model.h"
#include "app/settings/generation_field.h"

namespace quire {

/// The sampling settings of one layer (a model, a persona or a chat): a row for each field with the
/// value in use, whether this layer sets it, and what it would be otherwise.
///
/// Thread: the window's.
/// Invariants: own() is always valid; a wrong entry changes nothing and sets its row's `problem`,
/// which stays until the row is corrected or reset.
class GenerationEditor : public quire::RoleListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool hasOwn READ hasOwn NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)

 public:
  enum Role {
    kName = Qt::UserRole + 1,
    kHelp,
    kIsSwitch,
    kValueText,
    kDefaultText,
    kIsSet,
    kProblem,
    kHasSlider,
    kNumber,
    kFrom,
    kTo,
    kStep,
    kIsWide,
    kIsAdvanced,
  };

  explicit GenerationEditor(QObject* parent = nullptr);

  int numRows() const override { return static_cast<int>(generationFields().size()); }

  /// The layers up to and including the edited one, `layer`; the names tell which model or persona
  /// a default comes from.
  void show(SettingsLayer layer, const SettingsLayers& layers, const QString& modelName = {},
            const QString& personaName = {});
  /// The same layer of the same model, persona or chat, whose values have changed: wrong entries
  /// stay with their problems.
  void refresh(const SettingsLayers& layers, const QString& modelName = {},
               const QString& personaName = {});
  const GenerationSettings& own() const;
  bool hasOwn() const;
  QString summary() const;  ///< "2 changed" or "Nothing changed".
  const ResolvedSettings& resolved() const { return m_resolved; }

  /// Sets a typed text; empty text resets.
  Q_INVOKABLE void set(int row, const QString& text);
  Q_INVOKABLE void slide(int row, double value);
  Q_INVOKABLE void reset(int row);
  Q_INVOKABLE void resetAll();

 signals:
  void changed();
  /// By the user; own() has to be stored.
  void edited();

 private:
  void apply();
  QString defaultText(const GenerationField& field) const;
  QString sourceName(SettingsLayer layer) const;

  SettingsLayer m_layer = SettingsLayer::Chat;
  SettingsLayers m_layers;
  ResolvedSettings m_resolved;
  QString m_modelName;
  QString m_personaName;
  std::array<QString, kNumSettingFields> m_problems;
};

}  // namespace quire
