#include "app/personas/persona_meter.h"

namespace quire {
namespace {

/// Every meter hears all answers, so numbers are of all of them. Only the window's thread asks.
quint64 nextNumber() {
  static quint64 last = 0;
  return ++last;
}

}  // namespace

PersonaMeter::PersonaMeter(ChatBackend& backend, QObject* parent)
    : QObject(parent), m_backend(backend) {
  connect(&backend, &ChatBackend::personaMeasured, this,
          [this](quint64 number, const PersonaReport& report) {
            if (const Take take = m_open.take(number)) take(report);
          });
}

void PersonaMeter::ask(const QString& systemPrompt, const Take& take) {
  const quint64 number = nextNumber();
  m_open.insert(number, take);
  m_backend.askPersona(number, systemPrompt);
}

}  // namespace quire
