#pragma once

#include <QJsonObject>
#include <QString>

#include <span>
#include <string>

#include "kernels/base/result.h"

namespace quire {

/// The error in the window's language: the translation of its format. The message of an error
/// without a format stays English and follows a translated sentence that says its kind. Names in it
/// are made visible (see visible_text).
/// Thread: any.
QString errorText(const Error& error);

/// What errorText() returned, in English again, for programs that ask over the API while the window
/// has another language: the format whose translation the text has, with the same arguments. Text
/// that no format explains is returned as it is. Thread: any.
std::string englishText(const QString& shown);

/// Why a device cannot be used, in the window's language where the sentence is a usual one.
/// Thread: any.
QString deviceReason(const std::string& english);
/// The usual ones, with %1 for what differs.
std::span<const char* const> deviceReasons();

/// All formats that have translations; each make_error in the source names one of them.
std::span<const char* const> errorFormats();

/// For files; an error without a message is an empty object.
QJsonObject toJson(const Error& error);
Error errorFromJson(const QJsonObject& json);

}  // namespace quire
