#include "app/engine_page/engine_status.h"

#include <QLocale>

#include "app/engine_page/engine_labels.h"
#include "app/models/model_labels.h"

namespace quire {

EngineStatus::EngineStatus(ModelManager& manager, QObject* parent)
    : QObject(parent), m_manager(manager) {
  connect(&manager, &ModelManager::stateChanged, this, &EngineStatus::changed);
  connect(&manager, &ModelManager::throughputChanged, this, &EngineStatus::onThroughput);
}

/// An unloaded model is ready too: the next message loads it again.
bool EngineStatus::isReady() const {
  return m_manager.state() == ModelManager::State::Ready ||
         m_manager.state() == ModelManager::State::Unloaded;
}

QString EngineStatus::deviceName() const {
  return model_labels::device(m_manager.deviceName());
}

QString EngineStatus::deviceHint() const {
  const QString what = tr("What the model runs on");
  const QString note = m_manager.primaryModel().deviceNote;
  return note.isEmpty() ? what : what + u'\n' + note;
}

QString EngineStatus::notice() const {
  if (isReady()) return {};
  if (isFailed()) return m_manager.stateText();
  const int percent = static_cast<int>(m_manager.loadProgress() * 100.0);
  return tr("%1 %2%").arg(m_manager.stateText()).arg(percent);
}

QString EngineStatus::introduction() const {
  if (isReady() && !isDemonstration()) {
    const QString greeting =
        tr("%1 answers on this computer. What you write to it stays here.").arg(modelName());
    return templateNotice().isEmpty() ? greeting : greeting + u'\n' + templateNotice();
  }
  if (isFailed())
    return tr("No model is loaded, so nothing can be asked now. What you write is kept.");
  if (isLoading()) return tr("The model is being loaded. You can write already.");
  return tr(
      "You are talking to a small demonstration model that comes with Quire: quick, and often "
      "wrong. Choose your own above, or drop its file onto the window. What you write to it "
      "stays on this computer.");
}

QString EngineStatus::templateNotice() const {
  const QString name = m_manager.primaryModel().defaultTemplate;
  if (!isReady() || name.isEmpty()) return {};
  if (name == QLatin1String("plain")) {
    return tr(
        "Its files hold no chat format, so Quire writes the chat as plain text. It may be a "
        "model that only continues text.");
  }
  return tr("Its files hold no chat format; by its special tokens Quire uses %1.").arg(name);
}

QString EngineStatus::modelLabel() const {
  if (isFailed()) return tr("No model");
  if (isLoading()) return tr("Loading a model…");
  return isDemonstration() ? tr("%1 · demonstration model").arg(modelName()) : modelName();
}

QString EngineStatus::modelHint() const {
  if (isFailed()) return tr("The model did not load. The reason stands above the message field.");
  if (isLoading()) return m_manager.stateText();
  if (!isDemonstration()) {
    const QString context =
        tr("%1-token context").arg(QLocale().toString(m_manager.contextLength()));
    return templateNotice().isEmpty() ? context : context + u'\n' + templateNotice();
  }
  return tr(
      "A tiny model trained for Quire, to show how it works. It is limited and often wrong.\n"
      "Press to choose another, or drop a model's file onto the window.");
}

void EngineStatus::onThroughput(double tokensPerSecond, int running) {
  const QString speed = QLocale().toString(tokensPerSecond, 'f', tokensPerSecond < 100.0 ? 1 : 0);
  m_throughputText = running > 0 ? tr("%1 tok/s · %2").arg(speed, answersText(running)) : QString();
  emit throughputChanged();
}

}  // namespace quire
