#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "app/settings/generation_field.h"

namespace quire {

/// How answers are drawn, as one layer decides it (a model, a persona or a chat): a row for each
/// field with what is used, whether this layer says so, and what it would be without it.
///
/// Thread: the window's.
/// Invariants: own() is always valid; what is typed wrongly stands in its row's `problem` and
/// changes nothing.
class GenerationEditor : public QAbstractListModel {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Made by the program.")
  Q_PROPERTY(bool hasOwn READ hasOwn NOTIFY changed)
  Q_PROPERTY(QString summary READ summary NOTIFY changed)

 public:
  enum Role {
    kName = Qt::UserRole + 1,
    kHelp,
    kKind,
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
  };

  using QAbstractListModel::QAbstractListModel;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QHash<int, QByteArray> roleNames() const override;

  /// The layers up to and including the edited one, `layer`; the names are said where a default
  /// comes from a model or a persona.
  void show(SettingsLayer layer, const SettingsLayers& layers, const QString& modelName = {},
            const QString& personaName = {});
  const GenerationSettings& own() const;
  bool hasOwn() const;
  QString summary() const;  ///< "2 changed", or that nothing is.
  const ResolvedSettings& resolved() const { return m_resolved; }

  /// Takes what was typed; empty is reset.
  Q_INVOKABLE void set(int row, const QString& text);
  Q_INVOKABLE void slide(int row, double value);
  Q_INVOKABLE void reset(int row);
  Q_INVOKABLE void resetAll();

 signals:
  void changed();
  /// By the user: own() is to be kept.
  void edited();

 private:
  void apply(int row, const QString& problem);
  QString defaultText(SettingField field) const;
  QString sourceName(SettingsLayer layer) const;

  SettingsLayer m_layer = SettingsLayer::Chat;
  SettingsLayers m_layers;
  ResolvedSettings m_resolved;
  QString m_modelName;
  QString m_personaName;
  int m_problemRow = -1;
  QString m_problem;
};

}  // namespace quire
