#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>

#include "app/engine/model_state.h"
#include "app/models/cache_types.h"
#include "app/models/compute_devices.h"
#include "app/models/draft_choices.h"
#include "app/models/load_defaults.h"
#include "app/store/records.h"

namespace quire {

/// The user's load options for one model: each value with its default as text, and a reset.
///
/// Thread: the window's.
/// Invariants: contextLength() is 0, for the default, or between LoadBounds::kLeastContext and
/// contextMaximum().
class ModelOptions : public QObject {
  Q_OBJECT
  QML_ELEMENT
  QML_UNCREATABLE("Part of a model's card.")
  Q_PROPERTY(quire::ComputeDevices* devices READ devices CONSTANT)
  Q_PROPERTY(double contextPosition READ contextPosition WRITE setContextPosition NOTIFY changed)
  Q_PROPERTY(QString contextText READ contextText NOTIFY changed)
  Q_PROPERTY(QString contextDefault READ contextDefault NOTIFY changed)
  Q_PROPERTY(bool contextIsSet READ contextIsSet NOTIFY changed)
  Q_PROPERTY(int deviceIndex READ deviceIndex WRITE setDeviceIndex NOTIFY changed)
  Q_PROPERTY(bool deviceIsSet READ deviceIsSet NOTIFY changed)
  Q_PROPERTY(int threads READ threads WRITE setThreads NOTIFY changed)
  Q_PROPERTY(bool threadsIsSet READ threadsIsSet NOTIFY changed)
  Q_PROPERTY(int cacheMebibytes READ cacheMebibytes WRITE setCacheMebibytes NOTIFY changed)
  Q_PROPERTY(bool cacheIsSet READ cacheIsSet NOTIFY changed)
  Q_PROPERTY(int batchTokens READ batchTokens WRITE setBatchTokens NOTIFY changed)
  Q_PROPERTY(bool batchIsSet READ batchIsSet NOTIFY changed)
  Q_PROPERTY(QString threadsDefault READ threadsDefault NOTIFY changed)
  Q_PROPERTY(QString cacheDefault READ cacheDefault NOTIFY changed)
  Q_PROPERTY(QString batchDefault READ batchDefault NOTIFY changed)
  Q_PROPERTY(QStringList precisionChoices READ precisionChoices NOTIFY changed)
  Q_PROPERTY(int precisionIndex READ precisionIndex WRITE setPrecisionIndex NOTIFY changed)
  Q_PROPERTY(bool precisionIsSet READ precisionIsSet NOTIFY changed)
  Q_PROPERTY(QString precisionDefault READ precisionDefault NOTIFY changed)
  Q_PROPERTY(QStringList speculationChoices READ speculationChoices NOTIFY changed)
  Q_PROPERTY(int speculationIndex READ speculationIndex WRITE setSpeculationIndex NOTIFY changed)
  Q_PROPERTY(bool speculationIsSet READ speculationIsSet NOTIFY changed)
  Q_PROPERTY(bool offersDrafts READ offersDrafts NOTIFY changed)
  Q_PROPERTY(QStringList draftChoices READ draftChoices NOTIFY changed)
  Q_PROPERTY(int draftIndex READ draftIndex WRITE setDraftIndex NOTIFY changed)
  Q_PROPERTY(bool draftIsSet READ draftIsSet NOTIFY changed)
  Q_PROPERTY(QStringList idleChoices READ idleChoices NOTIFY changed)
  Q_PROPERTY(int idleIndex READ idleIndex WRITE setIdleIndex NOTIFY changed)
  Q_PROPERTY(bool idleIsSet READ idleIsSet NOTIFY changed)
  Q_PROPERTY(QString idleDefault READ idleDefault NOTIFY changed)

 public:
  explicit ModelOptions(ComputeDevices& devices, QObject* parent = nullptr);

  ComputeDevices* devices() { return &m_devices; }
  const ModelSettings& settings() const { return m_settings; }
  void setSettings(const ModelSettings& settings);   ///< Stored settings; edited() is not emitted.
  void writeTo(ModelSettings& settings) const;       ///< Copies only the load options.
  void setTrainedContext(int tokens);                ///< From the model's files; 0: unknown.
  void setDefaults(const LoadDefaults& defaults);    ///< Of all models.
  void setIdleOfAll(int minutes);                    ///< The default of all models; 0: never.
  void setDrafts(const QList<DraftChoice>& drafts);  ///< The draft models that are offered.
  LoadRequest request() const;
  /// request(), but without a draft model whose files another process has not read yet.
  LoadRequest checkedRequest() const;

  double contextPosition() const;  ///< 0 to 1, on a logarithmic scale.
  void setContextPosition(double position);
  int contextLength() const { return m_settings.contextLength.value_or(0); }
  void setContextLength(int tokens);
  int contextMaximum() const;
  QString contextText() const;     ///< "8,192 tokens".
  QString contextDefault() const;  ///< "40,960 tokens".
  bool contextIsSet() const { return contextLength() > 0; }
  int deviceIndex() const;  ///< Index into ComputeDevices::names().
  void setDeviceIndex(int index);
  bool deviceIsSet() const { return deviceIndex() > 0; }
  int threads() const { return m_settings.threads.value_or(0); }
  void setThreads(int threads) { choose(m_settings.threads, threads, 1, LoadBounds::kMostThreads); }
  bool threadsIsSet() const { return threads() > 0; }
  int cacheMebibytes() const { return m_settings.kvMiB.value_or(0); }
  void setCacheMebibytes(int mebibytes);
  bool cacheIsSet() const { return cacheMebibytes() > 0; }
  int batchTokens() const { return m_settings.batchTokens.value_or(0); }
  void setBatchTokens(int tokens);
  bool batchIsSet() const { return batchTokens() > 0; }
  QString threadsDefault() const;
  QString cacheDefault() const;
  QString batchDefault() const;
  /// The precision of the KV cache: as for all models, or one that the device supports.
  QStringList precisionChoices() const { return cacheTypeChoices().labels; }
  int precisionIndex() const;
  void setPrecisionIndex(int index);
  bool precisionIsSet() const { return precisionIndex() > 0; }
  QString precisionDefault() const;
  /// Whether the next tokens are guessed: automatically, or not at all.
  QStringList speculationChoices() const { return {tr("Automatic"), tr("Off")}; }
  int speculationIndex() const { return m_settings.speculates.value_or(true) ? 0 : 1; }
  void setSpeculationIndex(int index);
  bool speculationIsSet() const { return speculationIndex() > 0; }
  /// The draft model: none, one of those offered, or the chosen one that has not been found.
  bool offersDrafts() const { return speculationIndex() == 0 && draftPaths().size() > 1; }
  QStringList draftChoices() const;
  int draftIndex() const { return static_cast<int>(draftPaths().indexOf(m_settings.draftModel)); }
  void setDraftIndex(int index);
  bool draftIsSet() const { return draftIndex() > 0; }
  /// The idle time before it is unloaded: as for all models, never, or some minutes.
  QStringList idleChoices() const;
  int idleIndex() const;
  void setIdleIndex(int index);
  bool idleIsSet() const { return idleIndex() > 0; }
  QString idleDefault() const;
  std::optional<int> idleMinutes() const;  ///< 0: never; nullopt: as for all models.
  bool anySet() const;

  Q_INVOKABLE void resetContext() { setContextLength(0); }
  Q_INVOKABLE void resetAll();

 signals:
  void changed();
  void edited();  ///< By the user; has to be stored.

 private:
  void choose(std::optional<int>& choice, int number, int least, int most);
  void touch();
  int shownContext() const;
  QString cacheType() const;
  bool isDraftKnown() const;
  QStringList draftPaths() const;  ///< In the order of draftChoices(); the first is empty.
  cache_types::Choices cacheTypeChoices() const;

  ComputeDevices& m_devices;
  ModelSettings m_settings;
  LoadDefaults m_defaults;
  QList<DraftChoice> m_drafts;
  int m_idleOfAll = 0;
  int m_trainedContext = 0;
};

}  // namespace quire
