#include <QCoreApplication>

#include "app/error_strings.h"
#include "app/format_match.h"
#include "app/store/visible_string.h"

namespace quire {
namespace {

/// What gpu_list.cpp and backend_factory.cpp say.
constexpr const char* kReasons[] = {
    QT_TRANSLATE_NOOP("quire::ErrorWords", "No NVIDIA driver is installed."),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "The NVIDIA driver finds no GPU."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "The NVIDIA driver is too old: it supports CUDA %1, and Quire needs CUDA "
                      "%2. Update the driver."),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "The NVIDIA driver does not work: %1."),
    QT_TRANSLATE_NOOP("quire::ErrorWords", "The driver does not describe it: %1."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "%1 is too old: its compute capability is %2, and Quire needs %3 (GeForce "
                      "RTX 20, 2018) or later."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "This installation of Quire has no CUDA backend (%1), so NVIDIA GPUs cannot "
                      "be used."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "The CUDA backend cannot be loaded: %1. Install Quire anew, or unset "
                      "QUIRE_CUDA_LIBRARY if it is set."),
    QT_TRANSLATE_NOOP("quire::ErrorWords",
                      "The CUDA backend %1 belongs to another version of Quire. Install both from "
                      "one package."),
};

}  // namespace

std::span<const char* const> deviceReasons() {
  return kReasons;
}

QString deviceReason(const std::string& english) {
  const QString text = QString::fromStdString(english);
  for (const char* const reason : kReasons) {
    if (const auto arguments = argumentsOf(QString::fromUtf8(reason), text))
      return visibleString(
          filledFormat(QCoreApplication::translate("quire::ErrorWords", reason), *arguments));
  }
  return visibleString(text);
}

}  // namespace quire
